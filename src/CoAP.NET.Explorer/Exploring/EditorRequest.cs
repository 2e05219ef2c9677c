using System.Text.Json;
using System.Text.Json.Serialization;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>A request from the editor of the page.</summary>
internal sealed record EditorRequest : IJsonOnDeserialized
{
    public string Method { get; set; } = "GET";

    public string Uri { get; set; } = "";

    public bool Confirmable { get; set; } = true;

    public IReadOnlyList<EditorOption> Options { get; set; } = [];

    public EditorPayload? Payload { get; set; }

    public int? BlockSize { get; set; }

    public long Offset { get; set; }

    public double? TimeoutSeconds { get; set; }

    public UserCoapCredentials? Security { get; set; }

    // The serializer checks members for null, but not the items of lists.
    public void OnDeserialized()
    {
        if (Options.Contains(null!))
        {
            throw new JsonException("An option is null. It is an object with a number and a value.");
        }
    }
}

/// <summary>An option: its number, and its value as text in its format.</summary>
internal sealed record EditorOption(int Number, string Value);

/// <summary>A payload from the editor.</summary>
/// <param name="Kind">text, json, cbor, senml, hex, base64 or file.</param>
/// <param name="Value">The text; null for a file.</param>
internal sealed record EditorPayload(string Kind, string? Value = null);

/// <summary>The protection of a request: a profile, or secrets of the user.</summary>
internal sealed record UserCoapCredentials
{
    public string? Profile { get; set; }

    public string? Identity { get; set; }

    public string? Ca { get; set; }

    public string? Certificate { get; set; }

    /// <summary>The pre-shared key, or the private key of the certificate as PEM.</summary>
    public string? Key { get; set; }

    public bool Insecure { get; set; }
}

/// <summary>Asks for the resources of a server.</summary>
internal sealed record ResourcesRequest(string Target, UserCoapCredentials? Security = null);

/// <summary>Asks for the servers in the network.</summary>
internal sealed record DiscoverServersRequest(double? Seconds = null);

/// <summary>Requests the bytes of a payload.</summary>
/// <param name="Payload">The payload.</param>
/// <param name="ContentFormat">The Content-Format in decimal digits; null for none.</param>
internal sealed record PayloadBytesRequest(EditorPayload? Payload = null, string? ContentFormat = null);
