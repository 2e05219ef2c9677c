using CoAP.NET.AspNetCore.Proxying;
using CoAP.NET.Http;
using CoAP.NET.Http.Translating;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// The translation between HTTP and CoAP in all four directions, and the targets of RFC 8075. An input is a message of HTTP, the start
/// line, fields, an empty line and the body, and behind a byte 0 a datagram.
/// </summary>
internal sealed class HttpTarget : ContentTarget
{
    private static readonly CoapUri s_uri = CoapUri.Parse("coap://origin.example/a/b?c");
    private static readonly Uri s_web = new("http://origin.example:8080/api/things");
    private static readonly DateTimeOffset s_now = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly CoapAddress s_origin = CoapAddress.FromIPv4(0xc0000201, 5683);

    private readonly CoapHttpTranslator _translator = new();
    private readonly EntityTagMap _tags = new(capacity: 64);
    private readonly UriMappingTemplate[] _templates =
        [new UriMappingTemplate("{+tu}"), new UriMappingTemplate("?target_uri={+tu}"), new UriMappingTemplate("{+s}/{+hp}{+p}{+qq}"),
            new UriMappingTemplate("?s={+s}&hp={+hp}&p={+p}&q={+q}")];

    public override int Share => 1500;

    public override int MaxMilliseconds => 200;

    public override bool IsStateless => false;

    public override IReadOnlyList<byte[]> Dictionary { get; } = Words(
        "GET ", "POST ", "PUT ", "DELETE ", "PATCH ", "FETCH ", "OPTIONS ", "HTTP/1.1 200 OK", "HTTP/1.1 201 Created", "HTTP/1.1 304 X",
        "HTTP/1.1 503 X", "\r\n", "\r\n\r\n", "\0", ": ", ",", ";", "=", "\"", "W/", "*", "Accept: ", "If-None-Match: ", "If-Match: ",
        "Content-Type: ", "Content-Encoding: ", "Cache-Control: ", "max-age=", "no-store", "Age: ", "Expires: ", "Date: ", "Retry-After: ",
        "Location: ", "ETag: ", "text/plain", "application/json", "application/cbor", "application/coap-payload;cf=", "charset=utf-8",
        "deflate", "q=0.5", "*/*", "coap://", "coap:/", "%5B::1%5D", "/hc/", "?target_uri=", "99999999999999999999",
        "-1", "Tue, 01 Jan 2030");

    public override ulong Run(byte[] input)
    {
        int cut = Array.IndexOf(input, (byte)0);
        byte[] text = cut < 0 ? input : input[..cut];
        byte[] datagram = cut < 0 ? [] : input[(cut + 1)..];
        int end = text.AsSpan().IndexOf("\r\n\r\n"u8);
        string[] head = Encoding.Latin1.GetString(end < 0 ? text : text.AsSpan(0, end)).Split("\r\n");
        byte[] body = end < 0 ? [] : text[(end + 4)..];
        ulong signature = head[0].StartsWith("HTTP/", StringComparison.Ordinal) ? RunResponse(head, body) : RunRequest(head, body);
        return FuzzRandom.Mix(signature, RunMessage(datagram));
    }

    private ulong RunRequest(string[] head, byte[] body)
    {
        string[] start = head[0].Split(' ');
        ulong signature = CheckTargets(start.Length > 1 ? start[1] : head[0]);
        if (!IsToken(start[0]))
        {
            return signature;
        }

        using HttpRequestMessage request = new(new HttpMethod(start[0]), s_web) { Content = new ByteArrayContent(body) };
        AddFields(head, request.Headers, request.Content.Headers);
        CoapRequest coap;
        try
        {
            coap = _translator.ToCoapRequest(request, s_uri);
            if (body.Length > 0 && _translator.ContentFormatOf(request.Content) is { } format)
            {
                coap.Options.ContentFormat = format;
            }
        }
        catch (CoapHttpTranslationException exception)
        {
            Check((int)exception.Status is >= 400 and < 600 && exception.Message.Length > 0, "request", exception.Message);
            return FuzzRandom.Mix(signature, (ulong)exception.Status);
        }

        Check(_translator.AcceptedFormats(request).Count is >= 1 and <= 4, "accept", "How many are tried");
        CoapMessage message = coap.Message;
        Check(OptionRules.Check(message).IsAccepted, "request", $"{message} has an option that no server accepts.");
        return FuzzRandom.Mix(signature, CheckBackwards(coap.Method, message.Options, body));
    }

    private ulong CheckBackwards(CoapMethod method, CoapOptionCollection options, ReadOnlyMemory<byte> payload)
    {
        try
        {
            using HttpRequestMessage request = CoapToHttpRequest.Translate(method, options, payload, s_web, _translator, _tags);
            CheckFields(request.Headers);
            return 100 + (ulong)request.Method.Method.Length;
        }
        catch (CoapHttpTranslationException exception)
        {
            Check(exception.Code.IsError, "backwards", exception.Message);
            return exception.Code.Value;
        }
    }

    private ulong RunResponse(string[] head, byte[] body)
    {
        string status = head[0].Split(' ') is [_, var code, ..] ? code : "";
        using HttpRequestMessage asked = new(HttpMethod.Get, s_web);
        using HttpResponseMessage response = new((HttpStatusCode)(int.TryParse(status, out int number) && number is >= 100 and < 600
            ? number : 200))
        { RequestMessage = asked, Content = new ByteArrayContent(body) };
        AddFields(head, response.Headers, response.Content.Headers);
        ulong signature = (ulong)response.StatusCode;
        foreach (CoapMethod method in (ReadOnlySpan<CoapMethod>)[CoapMethod.Get, CoapMethod.Post, CoapMethod.Delete])
        {
            CoapResult result = HttpToCoapResponseTranslator.Translate(
                response, body, method, new CoapOptionCollection(), _translator, _tags, s_now);
            CoapMessage message = new(result.Code) { Payload = result.Payload };
            message.Options.AddAll(result.Options);
            Check(result.Code.Class is 2 or 4 or 5, "response", $"{response.StatusCode} is {result.Code}.");
            Check(OptionRules.Check(message).IsAccepted, "response", $"{message} has an option that no client accepts.");
            Check(!result.Code.IsError || result.Payload.Length <= 800, "response", "A long diagnostic text.");
            Check(message.Options.LocationPath.All(segment => segment is not ("." or "..")), "location",
                $"{message.Options.Location} has dot segments.");
            signature = FuzzRandom.Mix(signature, ((ulong)result.Code.Value << 8) | Small(result.Options.Count, 9));
        }

        return signature;
    }

    // A response of CoAP, whatever its options are, becomes fields that HTTP can carry.
    private ulong RunMessage(byte[] datagram)
    {
        if (!CoapDatagramSerializer.Default.TryDeserialize(datagram.AsSpan(), out CoapMessage? message, out _)
            || !OptionRules.Check(message).IsAccepted)
        {
            return 0;
        }

        if (message.Code.IsRequest)
        {
            return Enum.IsDefined((CoapMethod)message.Code.Value)
                ? CheckBackwards((CoapMethod)message.Code.Value, message.Options, message.Payload) : 1;
        }

        if (message.Code.Class is not (2 or 4 or 5))
        {
            return 2;
        }

        using HttpRequestMessage request = new(HttpMethod.Get, "http://proxy.example/");
        CoapRequest coap = new(CoapMethod.Get, s_uri.ToString());
        using HttpResponseMessage response = _translator.ToHttpResponseAsync(new CoapResponse(message, s_origin),
            message.Payload.IsEmpty ? null : new ReadOnlyMemoryContent(message.Payload), request, coap, CancellationToken.None)
            .GetAwaiter().GetResult();
        Check((int)response.StatusCode is >= 200 and < 600, "status", $"{message.Code} is {response.StatusCode}.");
        CheckFields(response.Headers);
        Check(response.ReasonPhrase is null || response.ReasonPhrase.All(c => c is >= ' ' and < (char)127), "reason",
            response.ReasonPhrase ?? "");
        return FuzzRandom.Mix((ulong)response.StatusCode, Small(response.Headers.Count(), 9));
    }

    private ulong CheckTargets(string target)
    {
        ulong signature = 0;
        foreach (UriMappingTemplate template in _templates)
        {
            BeginMeter(factor: 512);
            bool isTarget = template.TryMatch(target, "coap", out string? text);
            EndMeter(target.Length, "A template");
            signature = (signature << 2) | (isTarget ? 1u : 0);
            if (isTarget && CoapUri.TryParse(text, out CoapUri? uri))
            {
                signature |= 2;

                // What it is expanded to names it again.
                string expanded = template.Expand(uri);
                Check(template.TryMatch(expanded, "coap", out string? again) && CoapUri.TryParse(again, out CoapUri? same) && same == uri,
                    "template", $"{uri} is expanded to {expanded}, which is {again}.");
            }
        }

        return signature;
    }

    private static void AddFields(string[] head, System.Net.Http.Headers.HttpHeaders headers, System.Net.Http.Headers.HttpHeaders content)
    {
        foreach (string line in head.Skip(1))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0 && IsToken(line[..colon]))
            {
                string value = line[(colon + 1)..].Trim();
                _ = headers.TryAddWithoutValidation(line[..colon], value) || content.TryAddWithoutValidation(line[..colon], value);
            }
        }
    }

    private static bool IsToken(string text) => text.Length > 0 && text.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_');

    private static void CheckFields(System.Net.Http.Headers.HttpHeaders headers)
    {
        foreach ((string name, System.Net.Http.Headers.HeaderStringValues values) in headers.NonValidated)
        {
            foreach (string value in values)
            {
                Check(value.All(c => c is >= ' ' and < (char)127), "field", $"{name} has a character that HTTP has not.");
            }
        }
    }
}
