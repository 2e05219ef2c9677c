namespace CoAP.NET.Edhoc;

/// <summary>Decides which peers to trust: finds the credentials that a peer's claim may refer to.</summary>
/// <remarks>
/// <see cref="EdhocCredentialStore"/> has a list of credentials, and <see cref="EdhocCertificateTrust"/> trusts certificates of issuers; an
/// implementation of your own can use a database. A peer whose credential it does not return is refused. If the peer is a server
/// (<see cref="EdhocClaimedPeerIdentity.IsServer"/>), the implementation decides which servers may answer for
/// <see cref="EdhocClaimedPeerIdentity.Target"/>: if it returns the credential of another device, that device can stand between the client
/// and the server. Called without a lock, for several sessions at a time.
/// </remarks>
public interface IEdhocCredentialResolver
{
    /// <summary>Finds credentials.</summary>
    /// <param name="claim">The identity that the peer claims. Nothing of it is verified yet.</param>
    /// <param name="cancellationToken">Cancelled when the session has timed out.</param>
    /// <returns>The trusted credentials that match, at most 8, because a kid need not be unique. None refuses the peer.</returns>
    /// <exception cref="EdhocException">The peer is refused; the message says why.</exception>
    ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken);
}
