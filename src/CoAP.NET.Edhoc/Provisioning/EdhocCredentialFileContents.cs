namespace CoAP.NET.Edhoc.Provisioning;

/// <summary>The content of a file of credentials.</summary>
internal sealed class EdhocCredentialFileContents : IEdhocCredentialResolver, IDisposable
{
    public List<EdhocPrivateKey> Keys { get; } = [];

    public List<EdhocOwnCredential> Own { get; } = [];

    public EdhocCredentialStore Trusted { get; } = new();

    public EdhocCertificateTrust? Authorities { get; set; }

    public EdhocMethod? Method { get; set; }

    public List<EdhocCipherSuite> Suites { get; } = [];

    public bool CombinesFirstRequest { get; set; }

    /// <summary>The expected servers: the URI as in the file, and an identity or a name in a certificate.</summary>
    public Dictionary<string, string> Servers { get; } = new(StringComparer.Ordinal);

    // Individually listed credentials come first, because the file may name their identities.
    public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken)
    {
        EdhocCredential[] found = Trusted.Find(claim, isAlone: Authorities is null);
        return found.Length > 0 || Authorities is null
            ? new ValueTask<IReadOnlyList<EdhocCredential>>(found)
            : Authorities.FindAsync(claim, cancellationToken);
    }

    public void Dispose()
    {
        Keys.ForEach(static key => key.Dispose());
        Authorities?.Dispose();
    }
}
