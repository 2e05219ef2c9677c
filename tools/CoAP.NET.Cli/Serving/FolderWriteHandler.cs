using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Cli.Serving;

/// <summary>
/// Answers PUT and DELETE. It writes a body to a temporary file next to its target and renames it when it is complete: readers never see a
/// partial file, and memory use does not depend on its size.
/// </summary>
/// <param name="paths">The shared paths.</param>
/// <param name="timeProvider">The clock, for the times of files.</param>
internal sealed class FolderWriteHandler(ServedFolderPathMapper paths, TimeProvider timeProvider) : IDisposable
{
    /// <summary>The prefix of incomplete files, which are never shared.</summary>
    public const string PartPrefix = ".coap-part-";

    // A body of fewer bytes waits in memory: a client that sends no more than that holds no file.
    private const int WorthAFile = 8 * 1024;

    private static readonly CoapResult s_refused = CoapResults.Status(CoapCode.Forbidden, "There is no shared file with this name.");

    // No other request of this server writes between the check of the preconditions and the action.
    private readonly SemaphoreSlim _gate = new(1);

    /// <summary>Removes the incomplete files of processes that were killed: those that no process holds open.</summary>
    public void RemoveAbandonedParts()
    {
        EnumerationOptions options = new()
        {
            AttributesToSkip = FileAttributes.ReparsePoint | FileAttributes.Device,
            RecurseSubdirectories = true,
            IgnoreInaccessible = true,
        };
        foreach (string part in Directory.EnumerateFiles(paths.Root, PartPrefix + "*", options))
        {
            try
            {
                // Its writer has it locked, and loses the lock when it ends, however that happens.
                using FileStream abandoned = new(
                    part, FileMode.Open, FileAccess.ReadWrite, FileShare.None | FileShare.Delete, bufferSize: 0);
                File.Delete(part);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Another process writes it, or it belongs to another user: it is never shared anyway.
            }
        }
    }

    /// <summary>Creates or replaces a file.</summary>
    public async ValueTask<LoggedResult> PutAsync(CoapRequestContext request, IReadOnlyList<string> segments,
        CancellationToken cancellationToken)
    {
        ServedItem item = paths.Find(segments);
        if (FaultOf(request, item) is { } fault)
        {
            return new LoggedResult(fault);
        }

        ReadResult start = await request.BodyReader.ReadAtLeastAsync(WorthAFile, cancellationToken).ConfigureAwait(false);
        request.BodyReader.AdvanceTo(start.Buffer.Start);

        // Held until the end: the folder may become a link to another one meanwhile.
        using SafeFileHandle? folder = ConfinedFiles.TryOpenFolder(Path.GetDirectoryName(item.FullPath)!);
        if (folder is null)
        {
            return new LoggedResult(s_refused);
        }

        string part = ConfinedFiles.EntryOf(folder, Path.Join(Path.GetDirectoryName(item.FullPath), PartPrefix + Path.GetRandomFileName()));
        try
        {
            long size;
            FileStream stream = new(part, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 1, FileOptions.Asynchronous);
            await using (stream.ConfigureAwait(false))
            {
                await request.BodyReader.CopyToAsync(stream, cancellationToken).ConfigureAwait(false);
                size = stream.Length;
            }

            return await StoreAsync(request, segments, folder, part, size, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // No longer there after a successful rename.
            File.Delete(part);
        }
    }

    public async ValueTask<LoggedResult> DeleteAsync(CoapRequestContext request, IReadOnlyList<string> segments,
        CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ServedItem item = paths.Find(segments);
            if (item.Kind is ServedItemKind.Refused or ServedItemKind.Folder)
            {
                return new LoggedResult(FaultOf(request, item)!);
            }

            CoapETag? etag = item.Kind == ServedItemKind.File ? FileEntityTag.Of(item.FullPath) : null;
            if (request.CheckPreconditions(etag) is { } failed)
            {
                return new LoggedResult(failed);
            }

            if (item.Kind == ServedItemKind.File)
            {
                using SafeFileHandle? folder = ConfinedFiles.TryOpenFolder(Path.GetDirectoryName(item.FullPath)!);
                if (folder is null)
                {
                    return new LoggedResult(s_refused);
                }

                File.Delete(ConfinedFiles.EntryOf(folder, item.FullPath));
            }

            return new LoggedResult(CoapResults.Deleted());
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _gate.Dispose();

    private async ValueTask<LoggedResult> StoreAsync(CoapRequestContext request, IReadOnlyList<string> segments, SafeFileHandle folder,
        string part,
        long size, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            // Checked again: the body may have taken long.
            ServedItem item = paths.Find(segments);
            if (FaultOf(request, item) is { } fault)
            {
                return new LoggedResult(fault);
            }

            // Later than the replaced file, however coarse the clock of the file system: the entity-tag must change.
            DateTime now = timeProvider.GetUtcNow().UtcDateTime;
            DateTime before = item.Kind == ServedItemKind.File ? File.GetLastWriteTimeUtc(item.FullPath) : DateTime.MinValue;
            File.SetLastWriteTimeUtc(part, now > before ? now : before.AddMilliseconds(1));
            if (!OperatingSystem.IsWindows() && item.Kind == ServedItemKind.File)
            {
                // Keeps the permissions.
                File.SetUnixFileMode(part, File.GetUnixFileMode(item.FullPath));
            }

            File.Move(part, ConfinedFiles.EntryOf(folder, item.FullPath), overwrite: item.Kind == ServedItemKind.File);
            CoapResult result = item.Kind == ServedItemKind.File ? CoapResults.Changed() : CoapResults.Created();
            return new LoggedResult(FileEntityTag.Of(item.FullPath) is { } etag ? result.WithETag(etag) : result, size);
        }
        finally
        {
            _gate.Release();
        }
    }

    private static CoapResult? FaultOf(CoapRequestContext request, ServedItem item) => item.Kind switch
    {
        ServedItemKind.Refused => s_refused,
        ServedItemKind.NoFolder => CoapResults.Status(CoapCode.Conflict, "The folder does not exist."),
        ServedItemKind.Folder => CoapResults.Status(CoapCode.MethodNotAllowed, "This is a folder."),
        ServedItemKind.File => request.CheckPreconditions(FileEntityTag.Of(item.FullPath)),
        _ => request.CheckPreconditions(null),
    };
}
