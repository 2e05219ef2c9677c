namespace CoAP.NET.Tests.Shared;

/// <summary>Makes pipes, devices and second names of files, in folders of tests.</summary>
internal static class SpecialFile
{
    /// <summary>Makes a pipe with a name.</summary>
    public static Task MakePipeAsync(string path) => Tool.RunAsync("/", "mkfifo", [path]);

    /// <summary>Makes a device that discards what it gets, as /dev/null does, or is full as /dev/full. Needs root.</summary>
    public static Task MakeDeviceAsync(string path, bool isFull) =>
        Tool.RunAsync("/", "mknod", ["-m", "666", path, "c", "1", isFull ? "7" : "3"]);

    /// <summary>Gives a file a second name.</summary>
    public static Task MakeHardLinkAsync(string file, string name) => Tool.RunAsync("/", "ln", [file, name]);

    /// <summary>Gives a file or link to another user. Needs root.</summary>
    public static Task GiveToOtherUserAsync(string path) => Tool.RunAsync("/", "chown", ["--no-dereference", "65534", path]);

    /// <summary>Whether a path is a pipe or a device.</summary>
    public static bool Is(string path) => FileStatus.Of(path).Kind == FileKind.Special;

    /// <summary>Reads a pipe to its end, as soon as another process has opened it too.</summary>
    public static Task<byte[]> ReadPipeAsync(string path) => Task.Factory.StartNew(
        () =>
        {
            using MemoryStream read = new();
            using FileStream pipe = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
            pipe.CopyTo(read);
            return read.ToArray();
        },
        TaskCreationOptions.LongRunning);
}
