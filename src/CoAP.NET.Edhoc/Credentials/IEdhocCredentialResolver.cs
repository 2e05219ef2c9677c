namespace CoAP.NET.Edhoc;

/// <summary>
/// Decides whom to trust: finds the credentials that a claim of a peer may stand for. <see cref="EdhocCredentialStore"/> knows credentials
/// one by one, <see cref="EdhocCertificateTrust"/> certificates of issuers; one of your own asks a database. Whatever it does not give out
/// is refused. Called without a lock, for several sessions at a time.
/// </summary>
public interface IEdhocCredentialResolver
{
    /// <summary>Finds credentials.</summary>
    /// <param name="claim">Who the peer says it is. Nothing of it is verified yet.</param>
    /// <param name="cancellationToken">Cancelled when the session has no more time.</param>
    /// <returns>The credentials that it may be and that are trusted, at most 8: a kid need not be unique. None: the peer is
    /// refused.</returns>
    ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaim claim, CancellationToken cancellationToken);
}
