namespace CoAP.NET.Edhoc;

/// <summary>What a file of credentials says.</summary>
internal sealed class ReadCredentials : IEdhocCredentialResolver, IDisposable
{
    public List<EdhocPrivateKey> Keys { get; } = [];

    public List<EdhocOwnCredential> Own { get; } = [];

    public EdhocCredentialStore Trusted { get; } = new();

    public EdhocCertificateTrust? Authorities { get; set; }

    public EdhocMethod? Method { get; set; }

    public List<EdhocCipherSuite> Suites { get; } = [];

    public bool CombinesFirstRequest { get; set; }

    // Those that are known one by one come first, as the file may say who they are.
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
