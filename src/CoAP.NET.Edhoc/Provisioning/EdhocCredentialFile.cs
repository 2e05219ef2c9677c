namespace CoAP.NET.Edhoc;

/// <summary>
/// What one side of EDHOC is and whom it trusts, as an administrator has written it down: a JSON file that names keys and certificates in
/// PEM files beside it. The JSON itself holds no secret.
/// </summary>
/// <remarks>
/// <para>
/// The JSON file is an object. <c>own</c> lists what this side authenticates by: each with <c>key</c>, a private key in PKCS#8 or SEC1, and
/// either <c>certificate</c>, <c>claims</c> (a CWT Claims Set as <c>0x</c> and hexadecimal digits), or <c>kid</c> and <c>subject</c> of a
/// claims set to make. <c>byValue</c> has the peer be sent the credential itself, and not only a reference. <c>trusted</c> lists peers by
/// <c>certificate</c>, <c>claims</c>, or <c>publicKey</c> with <c>kid</c> and <c>subject</c>; <c>identity</c> is who the peer is for the
/// application. <c>authorities</c> lists files of issuers whose certificates are trusted. <c>method</c> (0 to 3), <c>suites</c> and
/// <c>combinesFirstRequest</c> are for clients. Comments are allowed. Paths are relative to the file.
/// </para>
/// <para>
/// A private key that everybody on the machine can read, or that others can change, is refused where the system has such permissions.
/// </para>
/// </remarks>
public sealed class EdhocCredentialFile : IDisposable
{
    private readonly ReadCredentials _read;

    private EdhocCredentialFile(string path, ReadCredentials read) => (Path, _read) = (path, read);

    /// <summary>The file.</summary>
    public string Path { get; }

    /// <summary>What this side authenticates by; at least one.</summary>
    public IReadOnlyList<EdhocOwnCredential> Own => _read.Own;

    /// <summary>Whom it trusts.</summary>
    public IEdhocCredentialResolver Trust => _read;

    /// <summary>The method of a client; null where the file does not say.</summary>
    public EdhocMethod? Method => _read.Method;

    /// <summary>The cipher suites, preferred ones first; empty where the file does not say.</summary>
    public IReadOnlyList<EdhocCipherSuite> Suites => _read.Suites;

    /// <summary>Whether message_3 of a client goes with its first protected request; see
    /// <see cref="EdhocClientOptions.CombinesFirstRequest"/>.</summary>
    public bool CombinesFirstRequest => _read.CombinesFirstRequest;

    /// <summary>Reads a file and all that it names.</summary>
    /// <param name="path">The file.</param>
    /// <returns>What it says. Dispose of it, behind all who use it, to wipe the keys.</returns>
    /// <exception cref="EdhocProvisioningException">It cannot be read, or something in it is wrong.</exception>
    public static EdhocCredentialFile Read(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new EdhocCredentialFile(path, CredentialFileReader.Read(path));
    }

    /// <summary>Has a client be what the file says.</summary>
    /// <param name="options">The options, which are changed.</param>
    public void ApplyTo(EdhocClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ApplyTo(options.Settings, options.Credentials);
        options.Trust = Trust;
        options.Method = Method ?? options.Method;
        options.CombinesFirstRequest |= CombinesFirstRequest;
    }

    /// <summary>Has a server be what the file says.</summary>
    /// <param name="options">The options, which are changed.</param>
    public void ApplyTo(EdhocServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ApplyTo(options.Settings, options.Credentials);
        options.Trust = Trust;
    }

    /// <summary>Wipes the private keys.</summary>
    public void Dispose() => _read.Dispose();

    private void ApplyTo(EdhocSettings settings, IList<EdhocOwnCredential> credentials)
    {
        foreach (EdhocOwnCredential own in Own)
        {
            credentials.Add(own);
        }

        if (Suites.Count > 0)
        {
            settings.Suites.Clear();
            foreach (EdhocCipherSuite suite in Suites)
            {
                settings.Suites.Add(suite);
            }
        }
    }
}
