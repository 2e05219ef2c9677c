using CoAP.NET.Edhoc.Provisioning;

namespace CoAP.NET.Edhoc;

/// <summary>
/// The credentials of one side of EDHOC, and the peers that it trusts: a JSON file that names PEM files of keys and certificates.
/// </summary>
/// <remarks>
/// <para>The JSON itself contains no secret.</para>
/// <para>The JSON file is an object. <c>own</c> lists this side's own credentials. Each has <c>key</c>, a private key in PKCS#8 or SEC1,
/// and either <c>certificate</c>, or <c>claims</c> (a CWT Claims Set as <c>0x</c> and hexadecimal digits), or <c>kid</c> and <c>subject</c>
/// of a claims set to create. <c>byValue</c> sends the peer the credential itself, and not only a reference. <c>trusted</c> lists peers by
/// <c>certificate</c>, <c>claims</c>, or <c>publicKey</c> with <c>kid</c> and <c>subject</c>; <c>identity</c> is the application's identity
/// of the peer. <c>authorities</c> lists files of trusted issuers of certificates. <c>servers</c> is an object that names the server at a
/// URI, such as <c>"coap://door.example": "door 7"</c>. <c>servers</c>, <c>method</c> (0 to 3), <c>suites</c> and
/// <c>combinesFirstRequest</c> are for clients. The file may have comments. Paths are relative to the file.</para>
/// <para>On systems with file permissions, reading fails if all users can read a private key or other users can change it.</para>
/// </remarks>
public sealed class EdhocCredentialFile : IDisposable
{
    private readonly EdhocCredentialFileContents _read;

    private EdhocCredentialFile(string path, EdhocCredentialFileContents read) => (Path, _read) = (path, read);

    internal string Path { get; }

    /// <summary>This side's own credentials; at least one.</summary>
    internal IReadOnlyList<EdhocOwnCredential> Own => _read.Own;

    internal IEdhocCredentialResolver Trust => _read;

    /// <summary>
    /// The servers that a client expects: a URI as in the file, and the identity of the server or the name in its certificate; see
    /// <see cref="EdhocClientOptions.ExpectServer(CoapUri, object)"/>. Empty if the file has none.
    /// </summary>
    internal IReadOnlyDictionary<string, string> Servers => _read.Servers;

    /// <summary>The authentication method of a client; null if the file has none.</summary>
    internal EdhocMethod? Method => _read.Method;

    /// <summary>The cipher suites, preferred ones first; empty if the file has none.</summary>
    internal IReadOnlyList<EdhocCipherSuite> Suites => _read.Suites;

    /// <summary>
    /// Whether message_3 of a client travels with its first protected request; see <see cref="EdhocClientOptions.CombinesFirstRequest"/>.
    /// </summary>
    internal bool CombinesFirstRequest => _read.CombinesFirstRequest;

    /// <summary>Reads a file and all files that it names.</summary>
    /// <param name="path">The file.</param>
    /// <returns>The credentials. Dispose them after all their users, to wipe the keys.</returns>
    /// <exception cref="CoapCredentialException">A file is not readable, or has an error.</exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    public static EdhocCredentialFile Read(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new EdhocCredentialFile(path, CredentialFileReader.Read(path));
    }

    /// <summary>Applies the file to a client.</summary>
    /// <param name="options">The options; modified in place.</param>
    public void ApplyTo(EdhocClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ApplyTo(options.Settings, options.Credentials);
        options.Trust = Trust;
        options.Method = Method ?? options.Method;
        foreach ((string uri, string peer) in Servers)
        {
            options.ExpectServer(uri, peer);
        }

        options.CombinesFirstRequest |= CombinesFirstRequest;
    }

    /// <summary>Applies the file to a server.</summary>
    /// <param name="options">The options; modified in place.</param>
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
