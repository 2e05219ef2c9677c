using System.Buffers;
using System.Formats.Cbor;
using System.Text.Json;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Problems;

/// <summary>Converts problem details of HTTP (RFC 9457) to concise ones and back (RFC 9290 appendix B).</summary>
internal static class ProblemJson
{
    private const int MaxStatus = 999;
    private const string NoType = "about:blank";

    private static readonly string[] s_own = ["type", "title", "status", "detail", "instance"];
    private static readonly JsonDocumentOptions s_options = new() { AllowDuplicateProperties = false, MaxDepth = CborToJson.MaxDepth };

    public static byte[] Write(CoapProblem problem, int? status)
    {
        Tunnel tunnel = problem.Entries.TryGetValue(ProblemKey.Tunnel, out ReadOnlyMemory<byte> entry) ? Open(entry) : new Tunnel();
        ArrayBufferWriter<byte> bytes = new();
        using (Utf8JsonWriter json = new(bytes))
        {
            json.WriteStartObject();
            WriteText(json, "type", tunnel.Type);
            WriteText(json, "title", problem.Title);
            if ((status ?? tunnel.Status) is { } number)
            {
                json.WriteNumber("status", number);
            }

            WriteText(json, "detail", problem.Detail);
            WriteText(json, "instance", problem.Instance);
            foreach ((string name, ReadOnlyMemory<byte> value) in tunnel.Members)
            {
                json.WritePropertyName(name);
                json.WriteRawValue(CoapCborJson.ToJson(value.Span));
            }

            foreach ((string name, ReadOnlyMemory<byte> value) in problem.NamedEntries)
            {
                if (!tunnel.Members.ContainsKey(name) && !s_own.Contains(name))
                {
                    json.WritePropertyName(name);
                    json.WriteRawValue(CoapCborJson.ToJson(value.Span));
                }
            }

            json.WriteEndObject();
        }

        return bytes.WrittenSpan.ToArray();
    }

    public static CoapProblem Read(ReadOnlySpan<byte> json)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(json.ToArray(), s_options);
            return document.RootElement.ValueKind == JsonValueKind.Object
                ? Read(document.RootElement)
                : throw new JsonException("The problem details are not an object.");
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException or ArgumentException)
        {
            // Invalid Unicode throws one of the other exceptions.
            throw new CoapContentException(
                CoapCode.BadRequest, "The payload is not convertible problem details in JSON.", exception);
        }
    }

    private static CoapProblem Read(JsonElement root)
    {
        CoapProblem problem = new();
        List<Action<CborWriter>> tunnel = [];
        foreach (JsonProperty member in root.EnumerateObject())
        {
            string? text = member.Value.ValueKind == JsonValueKind.String ? member.Value.GetString() : null;
            switch (member.Name)
            {
                case "title":
                    problem.Title = text;
                    break;
                case "detail":
                    problem.Detail = text;
                    break;
                case "instance":
                    problem.Instance = text;
                    break;
                case "type" when text is not (null or NoType):
                    tunnel.Add(writer =>
                    {
                        writer.WriteInt64(ProblemKey.TunnelType);
                        writer.WriteTextString(text);
                    });
                    break;
                case "status" when member.Value.ValueKind == JsonValueKind.Number && member.Value.TryGetInt32(out int status)
                    && status is >= 0 and <= MaxStatus:
                    tunnel.Add(writer =>
                    {
                        writer.WriteInt64(ProblemKey.TunnelStatus);
                        writer.WriteInt32(status);
                    });
                    break;
                case not ("type" or "status"):
                    byte[] value = JsonToCbor.Convert(member.Value);
                    tunnel.Add(writer =>
                    {
                        writer.WriteTextString(member.Name);
                        writer.WriteEncodedValue(value);
                    });
                    break;
            }
        }

        if (tunnel.Count > 0)
        {
            CborWriter map = CborNumberWriter.Create();
            map.WriteStartMap(tunnel.Count);
            tunnel.ForEach(write => write(map));
            map.WriteEndMap();
            problem.Entries[ProblemKey.Tunnel] = map.Encode();
        }

        return problem;
    }

    // A malformed part is ignored: the rest of the problem is more useful.
    private static Tunnel Open(ReadOnlyMemory<byte> entry)
    {
        Tunnel tunnel = new();
        UntrustedCborReader.TryRead(entry, reader => ReadTunnel(reader, entry, tunnel), out _, out _);
        return tunnel;
    }

    private static bool ReadTunnel(CborReader reader, ReadOnlyMemory<byte> entry, Tunnel tunnel)
    {
        reader.ReadStartMap();
        while (reader.PeekState() != CborReaderState.EndMap)
        {
            (long? number, string? name) = reader.ReadKey();
            ReadOnlyMemory<byte> item = reader.ReadItem(entry);
            if (number == ProblemKey.TunnelType && UntrustedCborReader.TryRead(item, UntrustedCborReader.ReadText, out string? type, out _))
            {
                tunnel.Type = type;
            }
            else if (number == ProblemKey.TunnelStatus
                && UntrustedCborReader.TryRead(item, value => value.ReadUInt64(), out ulong status, out _) && status <= MaxStatus)
            {
                tunnel.Status = (int)status;
            }
            else if (name is not null && !s_own.Contains(name))
            {
                tunnel.Members.TryAdd(name, item);
            }
        }

        reader.ReadEndMap();
        return true;
    }

    private static void WriteText(Utf8JsonWriter json, string name, string? text)
    {
        if (text is not null)
        {
            json.WriteString(name, text);
        }
    }

    private sealed class Tunnel
    {
        public string? Type { get; set; }

        public int? Status { get; set; }

        public Dictionary<string, ReadOnlyMemory<byte>> Members { get; } = new(StringComparer.Ordinal);
    }
}
