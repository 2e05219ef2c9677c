using CoAP.NET.Edhoc.Credentials;

namespace CoAP.NET.Edhoc;

/// <summary>A list of trusted credentials, found by kid, by the hash of a certificate, and by value.</summary>
/// <remarks>
/// A peer that sends its credential by value has to send one of the list. A key does not tell its address. If the list has several peers, a
/// client therefore has to say which of them it expects at a server (<see cref="EdhocClientOptions.ExpectServer(CoapUri, object)"/>).
/// Several credentials with one <see cref="EdhocCredential.Identity"/> are one peer. Thread-safe.
/// </remarks>
public sealed class EdhocCredentialStore : IEdhocCredentialResolver
{
    private readonly Lock _gate = new();
    private readonly List<EdhocCredential> _all = [];
    private readonly Dictionary<string, List<EdhocCredential>> _byKeyId = new(StringComparer.Ordinal);

    internal int Count
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
    /// <exception cref="EdhocException">The peer is a server, the list has several peers, and the client expects none of them.</exception>
    public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(claim);
        return new ValueTask<IReadOnlyList<EdhocCredential>>(Find(claim, isAlone: true));
    }

    /// <summary>Finds credentials.</summary>
    /// <param name="claim">The identity that the peer claims.</param>
    /// <param name="isAlone">Whether no other peers than those of the list are trusted.</param>
    /// <exception cref="EdhocException">The peer is a server, several peers are trusted, and the client expects none of them.</exception>
    internal EdhocCredential[] Find(EdhocClaimedPeerIdentity claim, bool isAlone)
    {
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
            return found.Length == 0 || claim is not { IsServer: true, Expected: null } || (isAlone && IsOnePeer())
                ? found
                : throw new EdhocException(
                    $"This client trusts several servers, and nothing says which of them is at {claim.Target?.Authority}. Name it by its "
                        + "identity: in EdhocClientOptions.ExpectServer, \"servers\" of the file of credentials, Edhoc:Peer of a hosted "
                        + "client, or --edhoc-peer.")
                {
                    PeerText = "This side does not accept the credential.",
                };
        }
    }

    internal bool Has(object identity)
    {
        lock (_gate)
        {
            return _all.Exists(known => identity.Equals(known.Identity));
        }
    }

    private bool IsOnePeer() => _all.Count == 1 || (_all[0].Identity is { } peer && _all.All(known => peer.Equals(known.Identity)));
}
