using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Requests;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Creates the results that handlers return (RFC 7252 section 5.9).</summary>
/// <remarks>
/// The <c>With...</c> methods of a result return a refined one. A handler that returns the same result again and again allocates nothing.
/// The package CoAP.NET.Content adds <c>CoapResults.Cbor</c> and <c>CoapResults.Problem</c>.
/// </remarks>
/// <example>
/// <code>
/// server.MapGet("/devices/{id}", request =&gt; request.Route["id"] == "7"
///     ? CoapResults.Text("The boiler").WithMaxAge(TimeSpan.FromMinutes(5))
///     : CoapResults.NotFound());
/// server.MapPost("/devices", _ =&gt; CoapResults.Created("/devices/7"));
/// </code>
/// </example>
public static class CoapResults
{
    /// <summary>2.05 Content with text in UTF-8.</summary>
    /// <param name="text">The text.</param>
    /// <param name="format">The Content-Format; default <c>text/plain;charset=utf-8</c>.</param>
    /// <returns>The result.</returns>
    public static CoapResult Text(string text, CoapContentFormat? format = null) => Content(CoapContent.Text(text, format));

    /// <summary>2.05 Content with a value as JSON, with source-generated metadata for trimming and AOT.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The result.</returns>
    public static CoapResult Json<T>(T value, JsonTypeInfo<T> typeInfo) => Content(CoapContent.Json(value, typeInfo));

    /// <summary>2.05 Content with a value as JSON, with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The result.</returns>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static CoapResult Json<T>(T value, JsonSerializerOptions? options = null) => Content(CoapContent.Json(value, options));

    /// <summary>2.05 Content with bytes.</summary>
    /// <param name="bytes">The bytes; not copied.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <returns>The result.</returns>
    public static CoapResult Bytes(ReadOnlyMemory<byte> bytes, CoapContentFormat? format = null) =>
        Content(CoapContent.Binary(bytes, format));

    /// <summary>2.05 Content (RFC 7252 section 5.9.1.5).</summary>
    /// <param name="content">The representation.</param>
    /// <returns>The result.</returns>
    public static CoapResult Content(CoapContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return new CoapResult(CoapCode.Content, content.Bytes, content.Format);
    }

    /// <summary>2.01 Created: the new resource is at the request URI, as after PUT (RFC 7252 section 5.9.1.1).</summary>
    /// <returns>The result.</returns>
    public static CoapResult Created() => new(CoapCode.Created);

    /// <summary>2.01 Created: the new resource is at another location, as after POST (RFC 7252 section 5.9.1.1).</summary>
    /// <param name="location">The location, as a relative reference in URI form, such as <c>/devices/7?x=1</c>.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The location does not fit into options; see <see cref="CoapResult.WithLocation"/>.</exception>
    public static CoapResult Created(string location) => Created().WithLocation(location);

    /// <summary>2.02 Deleted; also if there was nothing to delete (RFC 7252 section 5.8.4).</summary>
    /// <returns>The result.</returns>
    public static CoapResult Deleted() => new(CoapCode.Deleted);

    /// <summary>2.04 Changed (RFC 7252 section 5.9.1.4).</summary>
    /// <param name="content">A representation of the result; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Changed(CoapContent? content = null) => new(CoapCode.Changed, content?.Bytes ?? default, content?.Format);

    /// <summary>2.03 Valid: the representation of the client is still valid (RFC 7252 section 5.9.1.3).</summary>
    /// <param name="etag">The entity-tag that matched.</param>
    /// <returns>The result.</returns>
    public static CoapResult Valid(CoapETag etag) => new CoapResult(CoapCode.Valid).WithETag(etag);

    /// <summary>
    /// 2.03 Valid if a GET or FETCH names the entity-tag, otherwise the result of the function, with the entity-tag added (RFC 7252 section
    /// 5.10.6, RFC 8132 section 2.1).
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="etag">The entity-tag of the current representation.</param>
    /// <param name="result">Creates the response with the representation; called only if necessary.</param>
    /// <returns>The result.</returns>
    public static CoapResult ValidOr(CoapRequestContext request, CoapETag etag, Func<CoapResult> result)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(result);
        if (request.Code.IsSafe && request.IsMatch(etag))
        {
            return Valid(etag);
        }

        CoapResult full = result();
        return !full.Code.IsSuccess || full.Options.Contains(OptionNumber.ETag) ? full : full.WithETag(etag);
    }

    /// <summary>Creates a result with any response code.</summary>
    /// <param name="code">The code, in class 2, 4 or 5.</param>
    /// <param name="diagnostic">For an error, a human-readable text, sent without a Content-Format (RFC 7252 section 5.5.2); null for
    /// none.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The code is not a response code, or a success with a diagnostic text.</exception>
    public static CoapResult Status(CoapCode code, string? diagnostic = null)
    {
        if (diagnostic is not null && !code.IsError)
        {
            throw new ArgumentException("Only error responses carry a diagnostic text (RFC 7252 section 5.5.2). Use CoapResults.Content.",
                nameof(diagnostic));
        }

        return new CoapResult(code, diagnostic is null ? default : System.Text.Encoding.UTF8.GetBytes(diagnostic));
    }

    /// <summary>Creates a result with any response code and a payload.</summary>
    /// <param name="code">The code, in class 2, 4 or 5.</param>
    /// <param name="payload">The payload; not copied.</param>
    /// <param name="format">The Content-Format; null to omit the option, as with human-readable texts of errors.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The code is not a response code.</exception>
    public static CoapResult Status(CoapCode code, ReadOnlyMemory<byte> payload, CoapContentFormat? format = null) =>
        new(code, payload, format);

    /// <summary>The unchanged response of another server: code, payload and all options.</summary>
    /// <remarks>For gateways, which remove hop-by-hop options themselves.</remarks>
    /// <param name="response">The response; its payload is not copied.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The message is not a response.</exception>
    public static CoapResult Response(CoapMessage response)
    {
        ArgumentNullException.ThrowIfNull(response);
        return new CoapResult(response.Code, response.Payload).WithAll(response.OptionsToRead);
    }

    /// <summary>Refuses a request with a missing or malformed argument: 4.00 Bad Request, or another error.</summary>
    /// <remarks>
    /// Counted as <c>ArgumentsRefused</c> at the endpoint that received the request, and logged at level Information, at most 60 times per
    /// minute.
    /// </remarks>
    /// <param name="request">The request.</param>
    /// <param name="diagnostic">A human-readable text that names the error (RFC 7252 section 5.5.2). It goes to the peer and into the log,
    /// so it must not repeat data of the peer.</param>
    /// <param name="code">The code, in class 4 or 5; default 4.00.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The code is not an error code.</exception>
    public static CoapResult Refuse(CoapRequestContext request, string diagnostic, CoapCode? code = null)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(diagnostic);
        CoapResult refusal = Status(code ?? CoapCode.BadRequest, diagnostic);
        ReportRefusal(request, diagnostic);
        return refusal;
    }

    /// <summary>Counts and logs a refused request, as <see cref="Refuse"/> does.</summary>
    /// <param name="request">The request.</param>
    /// <param name="reason">The reason for the log, without data of the peer.</param>
    internal static void ReportRefusal(CoapRequestContext request, string reason)
    {
        CoapEnvironment environment = request.Channel.Shard.Environment;
        environment.Counters.Add(CoapCounter.ArgumentsRefused);
        if (environment.LoggedRefusals.IsDue(out long leftOut))
        {
            ResultLog.ArgumentRefused(environment.Logger, reason, request.Channel, leftOut);
        }
    }

    /// <summary>
    /// 4.01 Unauthorized with an Echo: the client repeats the request with the value, which proves that it receives at its address and that
    /// the request is fresh (RFC 9175 section 2.3).
    /// </summary>
    /// <remarks>Return it before any side effect.</remarks>
    /// <returns>The result. Sending adds the value.</returns>
    public static CoapResult FreshnessRequired() => new(CoapCode.Unauthorized) { AsksForEcho = true };

    /// <summary>4.00 Bad Request: the server cannot understand the request (RFC 7252 section 5.9.2.1).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult BadRequest(string? diagnostic = null) => Status(CoapCode.BadRequest, diagnostic);

    /// <summary>4.01 Unauthorized: the client needs other credentials (RFC 7252 section 5.9.2.2).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Unauthorized(string? diagnostic = null) => Status(CoapCode.Unauthorized, diagnostic);

    /// <summary>4.03 Forbidden (RFC 7252 section 5.9.2.4).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Forbidden(string? diagnostic = null) => Status(CoapCode.Forbidden, diagnostic);

    /// <summary>4.04 Not Found (RFC 7252 section 5.9.2.5).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult NotFound(string? diagnostic = null) => Status(CoapCode.NotFound, diagnostic);

    /// <summary>4.05 Method Not Allowed (RFC 7252 section 5.9.2.6).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult MethodNotAllowed(string? diagnostic = null) => Status(CoapCode.MethodNotAllowed, diagnostic);

    /// <summary>4.06 Not Acceptable: the format of the Accept option is not available (RFC 7252 section 5.9.2.7).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult NotAcceptable(string? diagnostic = null) => Status(CoapCode.NotAcceptable, diagnostic);

    /// <summary>
    /// 4.09 Conflict: the request does not fit the state of the resource; describe it in the text (RFC 8132 section 3.4).
    /// </summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Conflict(string? diagnostic = null) => Status(CoapCode.Conflict, diagnostic);

    /// <summary>4.12 Precondition Failed (RFC 7252 section 5.9.2.8).</summary>
    /// <remarks><see cref="CoapRequestContext.CheckPreconditions(CoapETag?)"/> returns it.</remarks>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult PreconditionFailed(string? diagnostic = null) => Status(CoapCode.PreconditionFailed, diagnostic);

    /// <summary>4.15 Unsupported Content-Format (RFC 7252 section 5.9.2.10).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult UnsupportedContentFormat(string? diagnostic = null) => Status(CoapCode.UnsupportedContentFormat, diagnostic);

    /// <summary>4.22 Unprocessable Entity: the format is right, but the server cannot apply the content (RFC 8132 section 3.4).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult UnprocessableEntity(string? diagnostic = null) => Status(CoapCode.UnprocessableEntity, diagnostic);

    /// <summary>4.13 Request Entity Too Large (RFC 7252 section 5.9.2.9).</summary>
    /// <param name="maxSize">The maximum accepted size, in bytes, sent as Size1; null for no hint.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxSize"/> is negative.</exception>
    public static CoapResult RequestEntityTooLarge(long? maxSize = null)
    {
        CoapResult result = Status(CoapCode.RequestEntityTooLarge);
        if (maxSize is { } size)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(size, nameof(maxSize));
            result.OwnOptions.AddUInt(OptionNumber.Size1, (uint)Math.Min(size, uint.MaxValue));
        }

        return result;
    }

    /// <summary>4.29 Too Many Requests (RFC 8516 section 3).</summary>
    /// <param name="wait">The time for the client to wait before it tries again, in whole seconds; sent as Max-Age.</param>
    /// <returns>The result.</returns>
    public static CoapResult TooManyRequests(TimeSpan wait) => Status(CoapCode.TooManyRequests).WithMaxAge(wait);

    /// <summary>5.00 Internal Server Error.</summary>
    /// <remarks>It has no details: the cause belongs in the log, not in the response.</remarks>
    /// <returns>The result.</returns>
    public static CoapResult InternalServerError() => Status(CoapCode.InternalServerError);

    /// <summary>5.03 Service Unavailable (RFC 7252 section 5.9.3.4).</summary>
    /// <param name="retryAfter">The time for the client to wait before it tries again, in whole seconds; sent as Max-Age.</param>
    /// <returns>The result.</returns>
    public static CoapResult ServiceUnavailable(TimeSpan retryAfter) => Status(CoapCode.ServiceUnavailable).WithMaxAge(retryAfter);

    /// <summary>2.05 Content with a seekable stream, of which the server reads only the requested block.</summary>
    /// <remarks>
    /// It reads later blocks from the same stream, without the handler: the stream stays open until the peer has fetched everything, or
    /// stops making progress. For unsafe methods it reads the whole body at once. An open stream counts as 64 KiB of
    /// <see cref="CoapBlockwiseLimits.ResponseMemory"/>. If there is no room for it, the handler runs again for the next block, and so it
    /// does for a peer that missed the first one. The server answers an exception during reading with 5.00; an exception during dispose
    /// changes no response. It logs both and counts them as <c>HandlerErrors</c>. Once the file of a
    /// <see cref="FileStream"/> has changed its length or last write time, the handler runs again.
    /// </remarks>
    /// <param name="stream">
    /// The stream, positioned at its beginning; a new one for each call. The server disposes it, even if a filter returns another response,
    /// throws, or does not wait for the handler.
    /// </param>
    /// <param name="etag">The entity-tag, which must change with each change of the content, so that clients do not mix two states.</param>
    /// <param name="format">The Content-Format; null to omit the option.</param>
    /// <returns>The result, for one request.</returns>
    /// <exception cref="ArgumentException">The stream cannot read or seek, or the entity-tag is <c>default</c>.</exception>
    public static CoapResult Stream(Stream stream, CoapETag etag, CoapContentFormat? format = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (!stream.CanSeek || !stream.CanRead)
        {
            throw new ArgumentException(
                "The stream must be able to read and seek, because the server reads blocks at their position. Copy it into a "
                    + "MemoryStream or a file.",
                nameof(stream));
        }

        return etag.Length != 0
            ? new StreamOrFileResult(stream, null, etag, format)
            : throw new ArgumentException("The entity-tag is empty. Create one with 1 to 8 bytes.", nameof(etag));
    }

    /// <summary>2.05 Content with a stream that is read once, from start to end, for example from a network.</summary>
    /// <remarks>
    /// The server keeps some KiB of it, so the memory does not depend on its size. It reads blocks as the peer requests them, so a slow
    /// peer slows the stream down. The stream stays open until the peer has fetched everything, or stops making progress. For unsafe
    /// methods the server reads the whole body at once. The open stream counts as 64 KiB of
    /// <see cref="CoapBlockwiseLimits.ResponseMemory"/>. If a peer requests a block that was passed, or that is far ahead, the handler runs
    /// again: Block2 in <see cref="CoapRequestContext.Options"/> names the requested block. Throw a
    /// <see cref="CoapContentException"/> with a result from the stream to choose the response for the peer; any other exception is
    /// answered 5.00, logged and counted as <c>HandlerErrors</c>.
    /// </remarks>
    /// <param name="stream">The stream. The server disposes it, even if a filter returns another response.</param>
    /// <param name="etag">The entity-tag, which must change with each change of the content, so that clients do not mix two states.</param>
    /// <param name="format">The Content-Format; null to omit the option.</param>
    /// <param name="start">The position of the stream in the body, in bytes; not after the requested block. Default 0.</param>
    /// <param name="size">The size of the whole body, for the peer; null if it is unknown.</param>
    /// <returns>The result, for one request.</returns>
    /// <exception cref="ArgumentException">The stream is not readable, or the entity-tag is <c>default</c>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The start or the size is negative.</exception>
    public static CoapResult Sequential(
        Stream stream, CoapETag etag, CoapContentFormat? format = null, long start = 0, long? size = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentOutOfRangeException.ThrowIfNegative(start);
        ArgumentOutOfRangeException.ThrowIfNegative(size ?? 0, nameof(size));
        if (!stream.CanRead)
        {
            throw new ArgumentException("The stream is not readable.", nameof(stream));
        }

        return etag.Length != 0
            ? new StreamOrFileResult(stream, null, etag, format) { Start = start, Size = size }
            : throw new ArgumentException("The entity-tag is empty. Create one with 1 to 8 bytes.", nameof(etag));
    }

    /// <summary>
    /// 2.05 Content with a file, of which the server reads only the requested block; 2.03 Valid if the client already has it, 4.04 if it
    /// does not exist.
    /// </summary>
    /// <remarks>
    /// The server reads later blocks without the handler, while length and time of the file stay the same, and opens the file for each.
    /// </remarks>
    /// <param name="path">The path; validate it if it contains data of a peer.</param>
    /// <param name="etag">The entity-tag; default: a hash of the content, which is the same for each copy of the file. For the default,
    /// the server reads the whole file once, and again when its length or last write time changes; set an entity-tag for files of
    /// gibibytes.</param>
    /// <param name="format">The Content-Format; null to omit the option.</param>
    /// <returns>The result; a handler may keep it and return it for many requests.</returns>
    /// <exception cref="ArgumentException">The path is empty.</exception>
    public static CoapResult File(string path, CoapETag? etag = null, CoapContentFormat? format = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new StreamOrFileResult(null, path, etag is { Length: 0 } ? null : etag, format);
    }
}
