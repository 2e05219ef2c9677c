namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>Credentials of a client and a server that trust each other, in files.</summary>
internal sealed class EdhocCredentialFiles : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-edhoc-").FullName;

    public EdhocCredentialFiles()
    {
        WriteKey("client");
        WriteKey("server");
        Client = Write("client.json", """
            { "own": [ { "key": "client.key", "kid": "0x2b", "subject": "front-desk" } ],
              "trusted": [ { "publicKey": "server.pub", "kid": "0x32", "subject": "door" } ] }
            """);
        Server = Write("server.json", """
            { "own": [ { "key": "server.key", "kid": "0x32", "subject": "door" } ],
              "trusted": [ { "publicKey": "client.pub", "kid": "0x2b", "subject": "front-desk", "identity": "desk 1" } ] }
            """);
    }

    /// <summary>The file of the client.</summary>
    public string Client { get; }

    /// <summary>The file of the server.</summary>
    public string Server { get; }

    /// <summary>The path of a file.</summary>
    public string Named(string name) => Path.Combine(_folder, name);

    public string Write(string name, string text)
    {
        File.WriteAllText(Named(name), text);
        return Named(name);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private void WriteKey(string name)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        Write($"{name}.key", key.ExportPkcs8PrivateKeyPem());
        Write($"{name}.pub", key.ExportSubjectPublicKeyInfoPem());
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(Named($"{name}.key"), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
    }
}
