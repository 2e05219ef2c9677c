namespace CoAP.NET.Edhoc;

/// <summary>
/// Credentials that are known one by one, and trusted: found by kid, by the hash of a certificate, and by value, where the peer has to send
/// one that is here. Thread-safe.
/// </summary>
public sealed class EdhocCredentialStore : IEdhocCredentialResolver
{
    private readonly Lock _gate = new();
    private readonly List<EdhocCredential> _all = [];
    private readonly Dictionary<string, List<EdhocCredential>> _byKeyId = new(StringComparer.Ordinal);

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _all.Count;
            }
        }
    }

    /// <summary>Trusts a credential.</summary>
    /// <param name="credential">The credential.</param>
    /// <returns>This object.</returns>
    public EdhocCredentialStore Add(EdhocCredential credential)
    {
        ArgumentNullException.ThrowIfNull(credential);
        lock (_gate)
        {
            _all.Add(credential);
            if (credential.KeyId is { } keyId)
            {
                string key = Convert.ToHexString(keyId.Span);
                if (!_byKeyId.TryGetValue(key, out List<EdhocCredential>? same))
                {
                    _byKeyId[key] = same = [];
                }

                same.Add(credential);
            }
        }

        return this;
    }

    /// <summary>Trusts a credential no more. Sessions that stand stay.</summary>
    /// <param name="credential">The credential, byte for byte.</param>
    /// <returns>Whether it was there.</returns>
    public bool Remove(EdhocCredential credential)
    {
        ArgumentNullException.ThrowIfNull(credential);
        lock (_gate)
        {
            if (credential.KeyId is { } keyId && _byKeyId.TryGetValue(Convert.ToHexString(keyId.Span), out List<EdhocCredential>? same)
                && same.RemoveAll(credential.IsSame) > 0 && same.Count == 0)
            {
                _byKeyId.Remove(Convert.ToHexString(keyId.Span));
            }

            return _all.RemoveAll(credential.IsSame) > 0;
        }
    }

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaim claim, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(claim);
        EdhocCredentialId id = claim.CredentialId;
        lock (_gate)
        {
            EdhocCredential[] found = id.Kind switch
            {
                EdhocCredentialIdKind.KeyId =>
                    _byKeyId.TryGetValue(Convert.ToHexString(id.KeyId.Span), out List<EdhocCredential>? same) ? [.. same] : [],
                EdhocCredentialIdKind.CertificateHash =>
                    [.. _all.Where(known => !known.Certificate.IsEmpty && id.IsHashOf(known.Certificate.Span))],
                EdhocCredentialIdKind.CertificateChain or EdhocCredentialIdKind.CertificateBag =>
                    [.. _all.Where(known => !known.Certificate.IsEmpty && known.Certificate.Span.SequenceEqual(id.Certificates[0].Span))],
                EdhocCredentialIdKind.Ccs or EdhocCredentialIdKind.Cwt =>
                    [.. _all.Where(known => known.Encoded.Span.SequenceEqual(id.Value.Span))],
                _ => [],
            };
            return new ValueTask<IReadOnlyList<EdhocCredential>>(found);
        }
    }
}
