using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using CoAP.NET;

namespace Server;

/// <summary>A JSON object of which requests fetch and change some members (RFC 8132).</summary>
public sealed class JsonDocumentResource
{
    private readonly Lock _gate = new();
    private readonly byte[] _original;
    private byte[] _bytes;

    public JsonDocumentResource(string json) => _bytes = _original = Encoding.UTF8.GetBytes(json);

    public CoapResult Get()
    {
        lock (_gate)
        {
            return CoapResults.Bytes(_bytes, CoapContentFormat.Json);
        }
    }

    /// <summary>The members whose names the body lists: <c>["name", "unit"]</c>. Those that are not there are left out.</summary>
    public CoapResult Fetch(CoapRequestContext request)
    {
        JsonNode? asked;
        try
        {
            asked = JsonNode.Parse(request.Payload.Span);
        }
        catch (JsonException exception)
        {
            return CoapResults.BadRequest(exception.Message);
        }

        if (asked is not JsonArray names || names.Any(name => name?.GetValueKind() != JsonValueKind.String))
        {
            return CoapResults.UnprocessableEntity("An array of names is needed.");
        }

        string[] wantedNames;
        try
        {
            // Strings are decoded only here.
            wantedNames = [.. names.Select(name => name!.GetValue<string>())];
        }
        catch (InvalidOperationException)
        {
            return CoapResults.BadRequest("A name is not valid Unicode.");
        }

        JsonObject document = Parse();
        JsonObject wanted = [];
        foreach (string name in wantedNames.Where(document.ContainsKey))
        {
            wanted[name] = document[name]?.DeepClone();
        }

        return CoapResults.Text(wanted.ToJsonString(), CoapContentFormat.Json);
    }

    /// <summary>
    /// Changes members by a JSON Merge Patch (RFC 7396), all or none of them. It is idempotent, so PATCH and iPATCH do the same.
    /// </summary>
    public CoapResult Patch(CoapRequestContext request)
    {
        lock (_gate)
        {
            try
            {
                byte[] patched = CoapMergePatch.Apply(_bytes, request.Payload.Span);
                if (JsonNode.Parse(patched) is not JsonObject)
                {
                    return CoapResults.UnprocessableEntity("The document stays an object.");
                }

                _bytes = patched;
                return CoapResults.Changed();
            }
            catch (JsonException exception)
            {
                return CoapResults.BadRequest(exception.Message);
            }
        }
    }

    public CoapResult Reset()
    {
        lock (_gate)
        {
            _bytes = _original;
            return CoapResults.Deleted();
        }
    }

    private JsonObject Parse()
    {
        lock (_gate)
        {
            return JsonNode.Parse(_bytes)!.AsObject();
        }
    }
}
