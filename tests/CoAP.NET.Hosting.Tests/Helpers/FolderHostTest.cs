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

    /// <summary>The path of a new file with a text.</summary>
    protected string NewFile(string text)
    {
        string path = Path.Combine(Folder, Path.GetRandomFileName());
        File.WriteAllText(path, text);
        return path;
    }

    /// <summary>How often a message was logged.</summary>
    protected int Count(int id) => Logged.Entries.Count(entry => entry.Id == id);
}
