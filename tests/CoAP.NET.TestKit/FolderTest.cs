namespace CoAP.NET.Tests.Shared;

/// <summary>Tests with a folder of their own, which goes with them.</summary>
public abstract class FolderTest : IDisposable
{
    protected string Folder { get; } = Directory.CreateTempSubdirectory("coap-").FullName;

    public virtual void Dispose() => Directory.Delete(Folder, recursive: true);
}
