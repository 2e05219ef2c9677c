using System.Diagnostics;
using System.Net.Sockets;
using CoAP.NET.Files;

namespace CoAP.NET.Tests.Shared;

/// <summary>Makes pipes, devices and second names of files, in folders of tests.</summary>
internal static class SpecialFile
{
    /// <summary>What may be in the place of a file, and would block or feed its reader without end.</summary>
    public static IReadOnlyList<string> Kinds { get; } = ["pipe", "link to a pipe", "endless device", "full device", "socket", "directory"];

    /// <summary>Puts something in the place of a file. A replaced file is gone.</summary>
    public static void Put(string path, string kind)
    {
        File.Delete(path);
        switch (kind)
        {
            case "pipe":
                MakePipe(path);
                break;
            case "link to a pipe":
                MakePipe(path + ".pipe");
                File.CreateSymbolicLink(path, path + ".pipe");
                break;
            case "endless device":
                File.CreateSymbolicLink(path, "/dev/zero");
                break;
            case "full device":
                File.CreateSymbolicLink(path, "/dev/full");
                break;
            case "socket":
                // Its name remains when it ends, as after a crash.
                using (Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
                {
                    socket.Bind(new UnixDomainSocketEndPoint(path));
                    File.Move(path, path + ".socket");
                }

                File.Move(path + ".socket", path);
                break;
            case "directory":
                Directory.CreateDirectory(path);
                break;
            default:
                throw new ArgumentException(kind, nameof(kind));
        }
    }

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

    private static void MakePipe(string path)
    {
        using Process process = Process.Start("mkfifo", [path]);
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
    }
}
