namespace CoAP.NET.Edhoc;

/// <summary>A list of trusted credentials, found by kid, by the hash of a certificate, and by value.</summary>
/// <remarks>A peer that sends its credential by value has to send one of the list. Thread-safe.</remarks>
public sealed class EdhocCredentialStore : IEdhocCredentialResolver
{
    private readonly Lock _gate = new();
    private readonly List<EdhocCredential> _all = [];
    private readonly Dictionary<string, List<EdhocCredential>> _byKeyId = new(StringComparer.Ordinal);

    /// <summary>Number of credentials.</summary>
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

    /// <summary>Adds a trusted credential.</summary>
    /// <param name="credential">The credential.</param>
    /// <returns>This instance.</returns>
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

    /// <summary>Removes a credential. Established sessions remain.</summary>
    /// <param name="credential">The credential, byte for byte.</param>
    /// <returns>True if it was there.</returns>
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
