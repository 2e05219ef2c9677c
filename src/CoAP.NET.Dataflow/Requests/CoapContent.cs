using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>A representation to send: bytes and their Content-Format (RFC 7252 section 5.5.1).</summary>
/// <remarks>The package CoAP.NET.Content adds <c>CoapContent.Cbor</c> and <c>CoapContent.Senml</c>.</remarks>
/// <example>
/// <code>
/// await client.PutAsync("coap://[::1]/name", CoapContent.Text("boiler"), cancellationToken);
/// await client.PutAsync("coap://[::1]/firmware", CoapContent.File(path), cancellationToken);
/// </code>
/// </example>
public sealed class CoapContent
{
    /// <summary>Creates a content from bytes.</summary>
    /// <param name="bytes">The bytes; not copied, so they must not change while they are sent.</param>
    /// <param name="format">The Content-Format; null to leave the option out.</param>
    public CoapContent(ReadOnlyMemory<byte> bytes, CoapContentFormat? format = null)
    {
        Bytes = bytes;
        Format = format;
    }

    /// <summary>The bytes; empty for a content of a stream or a file.</summary>
    public ReadOnlyMemory<byte> Bytes { get; }

    /// <summary>The Content-Format; null if the option is absent.</summary>
    public CoapContentFormat? Format { get; }

    /// <summary>Creates a content from text in UTF-8.</summary>
    /// <param name="text">The text.</param>
    /// <param name="format">The Content-Format; default <c>text/plain;charset=utf-8</c>.</param>
    /// <returns>The content.</returns>
    public static CoapContent Text(string text, CoapContentFormat? format = null) =>
        new(Encoding.UTF8.GetBytes(text), format ?? CoapContentFormat.TextPlain);

    /// <summary>Creates a content from bytes.</summary>
    /// <param name="bytes">The bytes; not copied.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <returns>The content.</returns>
    public static CoapContent Binary(ReadOnlyMemory<byte> bytes, CoapContentFormat? format = null) =>
        new(bytes, format ?? CoapContentFormat.OctetStream);

    /// <summary>Creates a content from a value as JSON, with source-generated metadata for trimming and AOT.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="format">The Content-Format, such as <see cref="CoapContentFormat.MergePatch"/>; default
    /// <c>application/json</c>.</param>
    /// <returns>The content.</returns>
    public static CoapContent Json<T>(T value, JsonTypeInfo<T> typeInfo, CoapContentFormat? format = null) =>
        new(JsonSerializer.SerializeToUtf8Bytes(value, typeInfo), format ?? CoapContentFormat.Json);

    /// <summary>Creates a content from a value as JSON, with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="format">The Content-Format, such as <see cref="CoapContentFormat.MergePatch"/>; default
    /// <c>application/json</c>.</param>
    /// <returns>The content.</returns>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static CoapContent Json<T>(T value, JsonSerializerOptions? options = null, CoapContentFormat? format = null) =>
        Json(value, JsonMetadata.Of<T>(options), format);

    private CoapContent(CoapContentFormat? format, Func<UploadBody> open, bool isRepeatable = true)
    {
        Format = format;
        Open = open;
        IsRepeatable = isRepeatable;
    }

    /// <summary>Whether it can be sent again from its beginning, at any point of the transfer.</summary>
    internal bool IsRepeatable { get; } = true;

    /// <summary>Opens the body for one upload; null for contents in memory.</summary>
    internal Func<UploadBody>? Open { get; }

    /// <summary>Creates a content that reads a stream from its current position, block by block while it is sent.</summary>
    /// <remarks>
    /// The stream stays open. Do not use it meanwhile; one request at a time may send it. A seekable stream may be sent several times. A
    /// stream that cannot seek is sent once: if the server asks for the body again after its first block, the request fails.
    /// </remarks>
    /// <param name="stream">The stream.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <param name="length">The number of bytes, for the server (Size1) and for progress reports; the end of the stream decides. Default:
    /// the rest of a seekable stream.</param>
    /// <returns>The content.</returns>
    /// <exception cref="ArgumentException">The stream cannot be read.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative.</exception>
    public static CoapContent Stream(Stream stream, CoapContentFormat? format = null, long? length = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentOutOfRangeException.ThrowIfNegative(length ?? 0, nameof(length));
        if (!stream.CanRead)
        {
            throw new ArgumentException("The stream cannot be read.", nameof(stream));
        }

        if (stream.CanSeek)
        {
            long start = stream.Position;
            return new CoapContent(format ?? CoapContentFormat.OctetStream, () =>
            {
                stream.Position = start;
                return new UploadBody(stream, start, length ?? (stream.Length - start), isOwner: false);
            });
        }

        // One instance for all uploads: bytes that it read and did not send remain available for another address of the same host.
        UploadBody only = new(stream, 0, length, isOwner: false);
        return new CoapContent(
            format ?? CoapContentFormat.OctetStream,
            () => only.TryRestart()
                ? only
                : throw new InvalidOperationException(
                    "The stream was already sent, and it cannot seek to be read again. Create a content from a new stream."),
            isRepeatable: false);
    }

    /// <summary>Creates a content from a file, which is opened when the request is sent and read block by block.</summary>
    /// <remarks>It may be sent several times, even concurrently.</remarks>
    /// <param name="path">The path of the file.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <returns>The content.</returns>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    public static CoapContent File(string path, CoapContentFormat? format = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new CoapContent(format ?? CoapContentFormat.OctetStream, () =>
        {
            FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1,
                FileOptions.Asynchronous | FileOptions.SequentialScan);
            return new UploadBody(file, 0, file.Length, isOwner: true);
        });
    }
}
