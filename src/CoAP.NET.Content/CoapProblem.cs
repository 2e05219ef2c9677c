using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Content.Problems;

namespace CoAP.NET;

/// <summary>Concise problem details (RFC 9290): a machine-readable description of an error, as the payload of an error response.</summary>
/// <remarks>
/// The Content-Format is 257, <c>application/concise-problem-details+cbor</c>. <c>CoapResults.Problem</c> creates such a response,
/// <see cref="CoapContentExtensions.TryReadProblem"/> reads it.
/// </remarks>
public sealed class CoapProblem
{
    /// <summary>A short summary of the type of the problem, the same for each occurrence (key -1). Null for none.</summary>
    /// <remarks>A received text with a language of its own keeps it when the problem is encoded again.</remarks>
    public string? Title { get => TitleText?.Text; set => TitleText = ProblemText.FromString(value); }

    /// <summary>The details of this occurrence (key -2). Null for none.</summary>
    /// <remarks>A received text with a language of its own keeps it when the problem is encoded again.</remarks>
    public string? Detail { get => DetailText?.Text; set => DetailText = ProblemText.FromString(value); }

    /// <summary>A URI reference that identifies this occurrence (key -3). Null for none.</summary>
    public string? Instance { get; set; }

    /// <summary>
    /// The response code of the origin server (key -4), for readers that see the payload without its response. Null when absent.
    /// </summary>
    public CoapCode? ResponseCode { get; set; }

    /// <summary>The base URI of relative references in the details (key -5). Null for that of the request.</summary>
    public string? BaseUri { get; set; }

    /// <summary>The language of texts without one, as a tag of RFC 5646, such as <c>en</c> (key -6). Null when absent.</summary>
    public string? BaseLanguage { get; set; }

    /// <summary>
    /// Whether texts without a direction are written from right to left (key -7). Null when absent: the characters decide.
    /// </summary>
    public bool? BaseIsRightToLeft { get; set; }

    /// <summary>
    /// The numbers of critical options that the server could not process, with 4.02 Bad Option (key -8, RFC 9290 section 3.1.1). Empty for
    /// none.
    /// </summary>
    public IList<int> UnprocessedOptions { get; } = [];

    /// <summary>Other entries by number; each value is one item of CBOR.</summary>
    /// <remarks>
    /// Keys from 0 on belong to applications, registered with IANA, and have maps as values. Negative keys are standard entries that this
    /// library does not know.
    /// </remarks>
    public IDictionary<long, ReadOnlyMemory<byte>> Entries { get; } = new Dictionary<long, ReadOnlyMemory<byte>>();

    /// <summary>Entries of applications by URI, for unregistered keys; each value is one item of CBOR, a map.</summary>
    public IDictionary<string, ReadOnlyMemory<byte>> NamedEntries { get; } =
    new Dictionary<string, ReadOnlyMemory<byte>>(StringComparer.Ordinal);

    /// <summary>The title with the language that it came with.</summary>
    internal ProblemText? TitleText { get; set; }

    /// <summary>The detail with the language that it came with.</summary>
    internal ProblemText? DetailText { get; set; }

    /// <summary>Encodes the details, in deterministic CBOR if the values of the entries are deterministic.</summary>
    /// <returns>The bytes.</returns>
    /// <exception cref="InvalidOperationException">
    /// The details are empty. Or an entry is not a single item of CBOR. Or an application entry is not a map, or has the number of a
    /// property.
    /// </exception>
    public byte[] ToBytes() => ProblemWriter.Write(this);

    /// <summary>Creates the content of a response.</summary>
    /// <returns>The content, of Content-Format 257.</returns>
    /// <exception cref="InvalidOperationException">See <see cref="ToBytes"/>.</exception>
    public CoapContent ToContent() => new(ToBytes(), CoapContentFormat.ConciseProblemDetails);

    /// <summary>Parses problem details. Unknown entries are kept unchanged.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="problem">The problem details.</param>
    /// <param name="error">The error and its position; null for none.</param>
    /// <returns>Whether the bytes are problem details.</returns>
    public static bool TryParse(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out CoapProblem? problem,
        [NotNullWhen(false)] out string? error) =>
            ProblemReader.TryRead(bytes, out problem, out error);

    /// <summary>Converts to <c>application/problem+json</c> (RFC 9457), by RFC 9290 appendix B.</summary>
    /// <remarks>
    /// The JSON has title, detail and instance, the contents of the entry 7807 (the type, the status and HTTP-specific members), and named
    /// entries as members. It has no place for languages, unprocessed options and other numbered entries.
    /// </remarks>
    /// <param name="status">The status of the HTTP response; null for that of the entry 7807.</param>
    /// <returns>The JSON, in UTF-8.</returns>
    /// <exception cref="CoapContentException">An entry cannot be converted: it is nested too deep, or has a duplicate key.</exception>
    public byte[] ToJson(int? status = null) => ProblemJson.Write(this, status);

    /// <summary>Converts <c>application/problem+json</c> (RFC 9457), by RFC 9290 appendix B.</summary>
    /// <remarks>
    /// The entry 7807 keeps the type, the status and HTTP-specific members. Members of a wrong type are ignored, as RFC 9457 section 3.1
    /// requires.
    /// </remarks>
    /// <param name="json">The JSON, in UTF-8.</param>
    /// <returns>The problem details; empty for an empty JSON object.</returns>
    /// <exception cref="CoapContentException">
    /// The payload is not JSON, not an object, nested too deep, or has a duplicate member (4.00).
    /// </exception>
    public static CoapProblem FromJson(ReadOnlySpan<byte> json) => ProblemJson.Read(json);

    /// <summary>Formats title and detail for diagnostics; without them the instance, or nothing.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => (Title, Detail) switch
    {
        ({ } title, { } detail) => $"{title}: {detail}",
        ({ } title, null) => title,
        (null, { } detail) => detail,
        _ => Instance ?? string.Empty,
    };
}
