namespace CoAP.NET.Edhoc;

/// <summary>The content of a file of credentials.</summary>
internal sealed class ReadCredentials : IEdhocCredentialResolver, IDisposable
{
    public List<EdhocPrivateKey> Keys { get; } = [];

    public List<EdhocOwnCredential> Own { get; } = [];

    public EdhocCredentialStore Trusted { get; } = new();

    public EdhocCertificateTrust? Authorities { get; set; }

    public EdhocMethod? Method { get; set; }

    public List<EdhocCipherSuite> Suites { get; } = [];

    public bool CombinesFirstRequest { get; set; }

    // Individually listed credentials come first, because the file may name their identities.
    public async ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaim claim, CancellationToken cancellationToken)
    {
        IReadOnlyList<EdhocCredential> found = await Trusted.FindAsync(claim, cancellationToken).ConfigureAwait(false);
        return found.Count > 0 || Authorities is null
            ? found
            : await Authorities.FindAsync(claim, cancellationToken).ConfigureAwait(false);
    }

    public void Dispose()
    {
        Keys.ForEach(static key => key.Dispose());
        Authorities?.Dispose();
    }
}
