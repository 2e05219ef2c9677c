using CoAP.NET.Files;

namespace CoAP.NET.Cli.Files;

/// <summary>The place of a file that the user names for output.</summary>
/// <param name="Name">The path as the user wrote it.</param>
/// <param name="Target">The full path, after the links at its end.</param>
/// <param name="IsReplaced">
/// Whether a complete file takes the name: the target is a regular file, or nothing. The other targets are devices, pipes and sockets,
/// which are written to.
/// </param>
internal sealed record OutputPath(string Name, string Target, bool IsReplaced)
{
    // As many as Linux follows.
    private const int MostLinks = 40;

    /// <summary>Finds the place.</summary>
    /// <exception cref="DirectoryNotFoundException">Its folder does not exist.</exception>
    /// <exception cref="IOException">It is a folder, or another user has led there by a link or a pipe.</exception>
    public static OutputPath Of(string path)
    {
        if (path.Length == 0)
        {
            throw new IOException("A file needs a name.");
        }

        string target = Path.GetFullPath(path);
        if (Path.EndsInDirectorySeparator(path) || Directory.Exists(path))
        {
            throw new IOException($"{path} is a folder. Name a file in it.");
        }

        for (int links = 0; links < MostLinks; links++)
        {
            FileStatus status = FileStatus.Of(target);
            if (status.Kind is FileKind.Link or FileKind.Special && !MayFollow(status, target))
            {
                throw new IOException(
                    $"{target} is a link or a pipe of another user, in a folder where every user may create one. Name another file.");
            }

            if (status.Kind is FileKind.Special)
            {
                return new OutputPath(path, target, IsReplaced: false);
            }

            string folder = Path.GetDirectoryName(target)!;
            if (!Directory.Exists(folder))
            {
                throw new DirectoryNotFoundException($"{path} cannot be written: there is no folder {folder}.");
            }

            if (status.Kind is not FileKind.Link)
            {
                return new OutputPath(path, target, IsReplaced: true);
            }

            string real = LinkFreePath.Of(folder);
            if (real.StartsWith("/proc/", StringComparison.Ordinal))
            {
                // An open file of a process, such as /dev/stdout. The shell that opened it expects the bytes there.
                return new OutputPath(path, target, IsReplaced: false);
            }

            // .NET shortens "..", which is the parent of the real folder.
            target = Path.GetFullPath(new FileInfo(target).LinkTarget!, real);
        }

        throw new IOException($"{path} leads through more than {MostLinks} links. Name a file.");
    }

    // The rule of Linux for links, which an administrator may switch off (fs.protected_symlinks).
    private static bool MayFollow(FileStatus entry, string path)
    {
        if (entry.IsOwn)
        {
            return true;
        }

        FileStatus status = FileStatus.OfTarget(Path.GetDirectoryName(path)!);
        return !status.IsShared || status.Owner == entry.Owner;
    }
}
