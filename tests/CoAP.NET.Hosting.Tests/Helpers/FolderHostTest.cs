namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>An application, and a folder for its files.</summary>
public abstract class FolderHostTest : HostTest
{
    protected string Folder { get; } = Directory.CreateTempSubdirectory("coap-hosting-").FullName;

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        Directory.Delete(Folder, recursive: true);
    }
}
