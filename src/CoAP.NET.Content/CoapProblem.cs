using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Content.Problems;

namespace CoAP.NET;

/// <summary>
/// Concise problem details (RFC 9290): what went wrong, for programs and for people, as the payload of an error response with
/// Content-Format 257, <c>application/concise-problem-details+cbor</c>. <c>CoapResults.Problem</c> answers it,
/// <see cref="CoapProblemContent.TryReadProblem"/> reads it.
/// </summary>
public sealed class CoapProblem
{
    /// <summary>A short summary of the type of the problem, the same for each occurrence (key -1). Null for none.</summary>
    public CoapProblemText? Title { get; set; }

    /// <summary>What is special to this occurrence (key -2). Null for none.</summary>
    public CoapProblemText? Detail { get; set; }

    /// <summary>A URI reference that names this occurrence (key -3). Null for none.</summary>
    public string? Instance { get; set; }

    /// <summary>
    /// The response code that the origin server gave (key -4), for whoever sees the payload apart from its response. Null when it is not
    /// said.
    /// </summary>
    public CoapCode? ResponseCode { get; set; }

    /// <summary>The base URI of relative references inside (key -5). Null for that of the request.</summary>
    public string? BaseUri { get; set; }

    /// <summary>The language of texts that name none, as a tag of RFC 5646, such as <c>en</c> (key -6). Null when it is not said.</summary>
    public string? BaseLanguage { get; set; }

    /// <summary>
    /// Whether texts that do not say it are written from right to left (key -7). Null when it is not said: their characters tell.
    /// </summary>
    public bool? BaseIsRightToLeft { get; set; }

    /// <summary>
    /// The numbers of critical options that the server could not process, with 4.02 Bad Option (key -8, RFC 9290 section 3.1.1). Empty for
    /// none.
    /// </summary>
    public IList<int> UnprocessedOptions { get; } = [];

    /// <summary>
    /// Other entries by number, each value one item of CBOR: with keys from 0 on those of applications, registered with IANA, whose values
    /// are maps; with negative ones standard entries that this library does not know.
    /// </summary>
    public IDictionary<long, ReadOnlyMemory<byte>> Entries { get; } = new Dictionary<long, ReadOnlyMemory<byte>>();

    /// <summary>Entries of applications by URI, for keys that are not registered; each value is one item of CBOR, a map.</summary>
    public IDictionary<string, ReadOnlyMemory<byte>> NamedEntries { get; } =
    new Dictionary<string, ReadOnlyMemory<byte>>(StringComparer.Ordinal);

    /// <summary>The bytes, in deterministic CBOR as far as the values of entries are.</summary>
    /// <returns>The bytes.</returns>
    /// <exception cref="InvalidOperationException">There is nothing to say, or an entry is no single item of CBOR, or one of an application
    /// that is no map, or bears the number of a property.</exception>
    public byte[] ToBytes() => ProblemWriter.Write(this);

    /// <summary>The content of a response.</summary>
    /// <returns>The content, of Content-Format 257.</returns>
    /// <exception cref="InvalidOperationException">As of <see cref="ToBytes"/>.</exception>
    public CoapContent ToContent() => new(ToBytes(), CoapContentFormat.ConciseProblemDetails);

    /// <summary>Reads problem details. Entries that are not known are kept as they are.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="problem">The problem details.</param>
    /// <param name="error">What is wrong with the bytes, and where; null when nothing is.</param>
    /// <returns>Whether they are problem details.</returns>
    public static bool TryParse(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out CoapProblem? problem,
        [NotNullWhen(false)] out string? error) =>
            ProblemReader.TryRead(bytes, out problem, out error);

    /// <summary>
    /// The same as <c>application/problem+json</c> (RFC 9457), by RFC 9290 appendix B: title, detail, instance, what the entry 7807 holds
    /// (the type, the status and the members that HTTP knew), and named entries as members. Languages, options that could not be
    /// processed and other numbered entries have no place there.
    /// </summary>
    /// <param name="status">The status of the HTTP response; null for the one that the entry 7807 holds.</param>
    /// <returns>The JSON, in UTF-8.</returns>
    /// <exception cref="CoapContentException">An entry cannot be converted: it is nested too deep, or has a key twice.</exception>
    public byte[] ToJson(int? status = null) => ProblemJson.Write(this, status);

    /// <summary>
    /// Reads <c>application/problem+json</c> (RFC 9457), by RFC 9290 appendix B. The type, the status and members that only HTTP knows are
    /// kept in the entry 7807; members of another type than theirs are passed over, as RFC 9457 section 3.1 says.
    /// </summary>
    /// <param name="json">The JSON, in UTF-8.</param>
    /// <returns>The problem details; without any entry when the JSON says nothing.</returns>
    /// <exception cref="CoapContentException">It is no JSON, no object, nested too deep, or has a member twice (4.00).</exception>
    public static CoapProblem FromJson(ReadOnlySpan<byte> json) => ProblemJson.Read(json);

    /// <summary>Title and detail for people; of a problem without them the instance, or nothing.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => (Title, Detail) switch
    {
        ({ } title, { } detail) => $"{title}: {detail}",
        ({ } title, null) => title.Text,
        (null, { } detail) => detail.Text,
        _ => Instance ?? string.Empty,
    };
}
