namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>A directory for the files of one program, deleted with what is in it.</summary>
internal sealed class TemporaryDirectory : IDisposable
{
    private readonly string _path = Directory.CreateTempSubdirectory("coap-interop-").FullName;

    public string PathOf(string name) => Path.Combine(_path, name);

    public void Dispose() => Directory.Delete(_path, recursive: true);
}
