using System.Globalization;
using System.Text;
using CoAP.NET.Cli.Files;
using CoAP.NET.Cli.Output;
using CoAP.NET.Files;
using Spectre.Console;

namespace CoAP.NET.Cli.Commands;

/// <summary>
/// The file of <c>--output</c>. Until it is complete, its beginning is in FILE.part, and FILE.part.etag says what it is the beginning of,
/// so that <c>--continue</c> can go on there.
/// </summary>
internal sealed class OutputFile : IAsyncDisposable, IProgress<CoapProgress>
{
    private readonly CliContext _context;
    private readonly OutputWriter _writer;
    private readonly string _uri;
    private readonly bool _isContinuable;
    private string? _remembered;
    private bool _isCommitted;

    private OutputFile(CliContext context, OutputWriter writer, string uri, bool isContinuable)
    {
        _context = context;
        _writer = writer;
        _uri = uri;
        _isContinuable = isContinuable && writer.Path.IsReplaced;
    }

    public Stream Stream => _writer.Stream;

    /// <summary>The bytes that were written.</summary>
    public long Length { get; private set; }

    /// <summary>The part of the body that is missing; null to download all of it.</summary>
    public CoapDownloadOptions? Rest { get; private set; }

    /// <summary>Also receives the reports; null for nothing.</summary>
    public TransferProgressBar? Bar { get; set; }

    private string PartPath => OutputWriter.PartOf(_writer.Path);

    private string TagPath => TagOf(_writer.Path);

    /// <summary>Opens a new file.</summary>
    /// <param name="context">The error stream.</param>
    /// <param name="path">The path.</param>
    /// <param name="uri">The URI of the body.</param>
    /// <param name="isContinuable">Whether to keep a part for <c>--continue</c>.</param>
    /// <param name="cancellationToken">Ends the wait for a reader of a pipe.</param>
    public static async Task<OutputFile> CreateAsync(
        CliContext context, OutputPath path, string uri, bool isContinuable, CancellationToken cancellationToken)
    {
        OutputWriter writer = await OutputWriter.CreateAsync(path, cancellationToken).ConfigureAwait(false);
        try
        {
            if (path.IsReplaced)
            {
                // It belongs to an earlier part.
                File.Delete(TagOf(path));
            }

            return new OutputFile(context, writer, uri, isContinuable);
        }
        catch
        {
            await writer.DiscardAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Opens a file of which a part may exist.</summary>
    /// <exception cref="UsageException">The part is of another resource, or the output is no file.</exception>
    /// <exception cref="IOException">Other users may have written the part.</exception>
    public static async Task<OutputFile> ContinueAsync(
        CliContext context, OutputPath path, string uri, CancellationToken cancellationToken)
    {
        if (!path.IsReplaced)
        {
            throw new UsageException($"--continue needs a file, and {path.Name} is a device, a pipe or a socket.", "Leave out --continue.");
        }

        string part = OutputWriter.PartOf(path);
        if (FileStatus.Of(part).Kind == FileKind.None)
        {
            return await CreateAsync(context, path, uri, isContinuable: true, cancellationToken).ConfigureAwait(false);
        }

        OutputWriter writer = OutputWriter.Continue(path);
        try
        {
            long length = writer.Length;
            string[] memory = length > 0 && FileStatus.Of(TagOf(path)).IsOwnFile ? File.ReadAllLines(TagOf(path)) : [];
            CoapETag? etag = memory is [_, { Length: > 0 } hex, ..] ? ETagOf(hex) : null;
            if (memory is not [var of, ..] || (etag is null && memory is [_, { Length: > 0 }, ..]))
            {
                if (length > 0)
                {
                    Remark(context,
                        $"{part}.etag is missing or damaged, so the version of {part} is unknown. The download starts again.");
                }

                writer.Stream.SetLength(0);
                File.Delete(TagOf(path));
                return new OutputFile(context, writer, uri, isContinuable: true);
            }

            if (of != uri)
            {
                throw new UsageException($"{part} is a part of {of}, and not of {uri}.",
                    "Continue the download of that URI, or leave out --continue to start again.");
            }

            // The last byte comes again: there is a block with it even if the part is complete.
            writer.Stream.Position = length - 1;
            Remark(context, string.Create(CultureInfo.InvariantCulture, $"Continues after {length} B in {part}.")
                + (etag is null ? " The server sends no ETag, so nothing shows whether the resource has changed." : ""));
            return new OutputFile(context, writer, uri, isContinuable: true)
            {
                _remembered = memory.ElementAtOrDefault(1) ?? "",
                Rest = new CoapDownloadOptions { Offset = length - 1, ETag = etag },
            };
        }
        catch
        {
            await writer.DisposeAsync().ConfigureAwait(false);
            throw;
        }
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
        Bar?.Report(value, value.IsUpload ? 0 : Rest?.Offset ?? 0);
        if (value.IsUpload)
        {
            return;
        }

        Length = value.BytesTransferred;
        string tag = value.ETag?.ToString() ?? "";
        if (_isContinuable && tag != _remembered)
        {
            DurableFile.Write(TagPath, Encoding.UTF8.GetBytes($"{_uri}\n{tag}\n"));
            _remembered = tag;
        }
    }

    /// <summary>Completes the file.</summary>
    public async Task CommitAsync(CancellationToken cancellationToken)
    {
        if (_writer.Path.IsReplaced)
        {
            Length = Stream.Position;
        }

        await _writer.CommitAsync(cancellationToken).ConfigureAwait(false);
        _isCommitted = true;
        if (_writer.Path.IsReplaced)
        {
            File.Delete(TagPath);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        long length = _writer.Length;
        await _writer.DisposeAsync().ConfigureAwait(false);
        if (_isCommitted || !_writer.Path.IsReplaced)
        {
            return;
        }

        // On a full disk the tag may be missing, and --continue cannot use the part without it.
        if (_isContinuable && length > 0 && _remembered is not null)
        {
            Remark(_context, string.Create(CultureInfo.InvariantCulture, $"{length} B are in {PartPath}; --continue goes on there."));
            return;
        }

        await _writer.DiscardAsync().ConfigureAwait(false);
        File.Delete(TagPath);
    }

    private static string TagOf(OutputPath path) => OutputWriter.PartOf(path) + ".etag";

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
