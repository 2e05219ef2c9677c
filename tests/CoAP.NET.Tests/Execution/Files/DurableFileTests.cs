using CoAP.NET.Files;

namespace CoAP.NET.Tests.Execution.Files;

/// <summary>Files that are replaced as a whole.</summary>
public sealed class DurableFileTests : FolderTest
{
    [Fact]
    public async Task A_pipe_or_device_is_not_replaced_by_a_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs pipes with names");
        string path = Path.Combine(Folder, "pipe");
        await SpecialFile.MakePipeAsync(path);

        Assert.Throws<IOException>(() => DurableFile.Write(path, [1, 2, 3]));

        Assert.True(SpecialFile.Is(path));
        Assert.Equal([path], Directory.GetFiles(Folder));
    }
}
