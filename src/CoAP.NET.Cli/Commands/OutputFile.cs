using System.Globalization;
using CoAP.NET.Cli.Output;
using Spectre.Console;

namespace CoAP.NET.Cli.Commands;

/// <summary>
/// The file of <c>--output</c>. A new file gets its name when it is complete, so that a failed request does not change an existing one.
/// Until then its beginning is in FILE.part, and FILE.part.etag says what it is the beginning of, so that <c>--continue</c> can go on
/// there.
/// </summary>
internal sealed class OutputFile : IAsyncDisposable, IProgress<CoapProgress>
{
    private readonly CliContext _context;
    private readonly string _path;
    private readonly string _uri;
    private readonly bool _isContinuable;
    private string? _remembered;
    private bool _isCommitted;

    private OutputFile(CliContext context, string path, string uri, bool isContinuable, FileStream stream)
    {
        _context = context;
        _path = path;
        _uri = uri;
        _isContinuable = isContinuable;
        Stream = stream;
    }

    public FileStream Stream { get; }

    /// <summary>The part of the body that is missing; null to download all of it.</summary>
    public CoapDownloadOptions? Rest { get; private set; }

    /// <summary>Also receives the reports; null for nothing.</summary>
    public TransferProgressBar? Bar { get; set; }

    private string PartPath => _path + ".part";

    private string TagPath => _path + ".part.etag";

    /// <summary>Opens a new file.</summary>
    /// <param name="context">The error stream.</param>
    /// <param name="path">The path.</param>
    /// <param name="uri">The URI of the body.</param>
    /// <param name="isContinuable">Whether to keep a part for <c>--continue</c>.</param>
    public static OutputFile Create(CliContext context, string path, string uri, bool isContinuable)
    {
        if (Path.GetDirectoryName(Path.GetFullPath(path)) is { } folder && !Directory.Exists(folder))
        {
            throw new DirectoryNotFoundException($"{path} cannot be written: there is no folder {folder}.");
        }

        // First, so that it never belongs to another part.
        File.Delete(path + ".part.etag");
        return new OutputFile(context, path, uri, isContinuable, Open(path, FileMode.Create));
    }

    /// <summary>Opens a file of which a part may exist.</summary>
    /// <exception cref="UsageException">The part is of another resource.</exception>
    public static OutputFile Continue(CliContext context, string path, string uri)
    {
        string part = path + ".part";
        if (!File.Exists(part) || new FileInfo(part).Length == 0)
        {
            return Create(context, path, uri, isContinuable: true);
        }

        string[] memory = File.Exists(part + ".etag") ? File.ReadAllLines(part + ".etag") : [];
        CoapETag? etag = memory is [_, { Length: > 0 } hex, ..] ? ETagOf(hex) : null;
        if (memory is not [var of, ..] || (etag is null && memory is [_, { Length: > 0 }, ..]))
        {
            Remark(context, $"{part}.etag is missing or damaged, so the version of {part} is unknown. The download starts again.");
            return Create(context, path, uri, isContinuable: true);
        }

        if (of != uri)
        {
            throw new UsageException($"{part} is a part of {of}, and not of {uri}.",
                "Continue the download of that URI, or leave out --continue to start again.");
        }

        // The last byte comes again: there is a block with it even if the part is complete.
        FileStream stream = Open(path, FileMode.Open);
        stream.Position = stream.Length - 1;
        Remark(context, string.Create(CultureInfo.InvariantCulture, $"Continues after {stream.Length} B in {part}.")
            + (etag is null ? " The server sends no ETag, so nothing shows whether the resource has changed." : ""));
        return new OutputFile(context, path, uri, isContinuable: true, stream)
        {
            _remembered = memory.ElementAtOrDefault(1) ?? "",
            Rest = new CoapDownloadOptions { Offset = stream.Position, ETag = etag },
        };
    }

    /// <summary>Starts again, because the part belongs to another version of the resource.</summary>
    public void Restart()
    {
        Remark(_context, $"{_uri} has changed since {PartPath} began, so the download starts again.");
        Rest = null;
        Stream.SetLength(0);
    }

    /// <inheritdoc/>
    public void Report(CoapProgress value)
    {
        Bar?.Report(value);
        if (value.IsUpload || !_isContinuable)
        {
            return;
        }

        string tag = value.ETag?.ToString() ?? "";
        if (tag != _remembered)
        {
            _remembered = tag;
            File.WriteAllText(TagPath, $"{_uri}\n{tag}\n");
        }
    }

    /// <summary>Completes the file.</summary>
    public async Task CommitAsync(CancellationToken cancellationToken)
    {
        Stream.SetLength(Stream.Position);
        await Stream.FlushAsync(cancellationToken).ConfigureAwait(false);
        await Stream.DisposeAsync().ConfigureAwait(false);
        _isCommitted = true;
        File.Move(PartPath, _path, overwrite: true);
        File.Delete(TagPath);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_isCommitted)
        {
            return;
        }

        long length = Stream.Length;
        try
        {
            await Stream.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            // Also on a full disk, where this part is what fills it.
            if (_isContinuable && length > 0)
            {
                Remark(_context, string.Create(CultureInfo.InvariantCulture, $"{length} B are in {PartPath}; --continue goes on there."));
            }
            else
            {
                File.Delete(PartPath);
                File.Delete(TagPath);
            }
        }
    }

    // Unbuffered: what was received is in the file, even if the process is killed.
    private static FileStream Open(string path, FileMode mode) =>
        new(path + ".part", mode, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0);

    private static CoapETag? ETagOf(string hex)
    {
        try
        {
            return Convert.FromHexString(hex) is { Length: > 0 and <= CoapETag.MaxLength } etag ? new CoapETag(etag) : null;
        }
        catch (FormatException)
        {
            return null;
        }
    }

    private static void Remark(CliContext context, string text) => context.Error.MarkupLine($"[grey]{Markup.Escape(text)}[/]");
}
