namespace CoAP.NET.Hosting;

/// <summary>The keys of OSCORE.</summary>
internal static class OscoreKeys
{
    private static readonly TextKind<string> s_path = new("path of a file or directory", static text => text);
    private static readonly TextKind<string> s_directory = new("path of a directory", static text => text);

    /// <summary>A server whose requests are protected.</summary>
    public static TextKind<string> Server { get; } = new(
        "scheme, host and port such as coap://device.example", static text => CoapUri.TryParse(text, out _) ? text : null);

    /// <summary>Those of servers.</summary>
    public static KeyTable<CoapOscoreServerFileOptions> ServerTable { get; } = new KeyTable<CoapOscoreServerFileOptions>()
        .List("Oscore:Files", s_path, static oscore => oscore.Files)
        .Text("Oscore:Store", s_directory, static oscore => oscore.Store, static (oscore, value) => oscore.Store = value)
        .Time("Oscore:ResolveTimeout", new TimeKind(TimeSpan.Zero, TimeSpan.FromHours(1), isAbove: true),
            static oscore => oscore.ResolveTimeout, static (oscore, value) => oscore.ResolveTimeout = value);

    /// <summary>Those of clients.</summary>
    public static KeyTable<CoapOscoreClientFileOptions> ClientTable { get; } = new KeyTable<CoapOscoreClientFileOptions>()
        .Text("Oscore:File", s_path, static oscore => oscore.File, static (oscore, value) => oscore.File = value)
        .Text("Oscore:Store", s_directory, static oscore => oscore.Store, static (oscore, value) => oscore.Store = value)
        .Text("Oscore:Uri", Server, static oscore => oscore.Uri, static (oscore, value) => oscore.Uri = value);
}
