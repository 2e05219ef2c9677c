namespace CoAP.NET.Dtls.Tests.Options;

/// <summary>A directory for files of one test.</summary>
internal sealed class TemporaryFiles : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("coap-dtls-").FullName;

    public string Name(string name) => System.IO.Path.Combine(Path, name);

    public string Write(string name, string text)
    {
        File.WriteAllText(Name(name), text);
        return Name(name);
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
