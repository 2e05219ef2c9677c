using System.Text.Json;

namespace CoAP.NET.Tests.Shared;

internal static class JsonTexts
{
    /// <summary>The text that a property of an object has.</summary>
    public static string? TextOf(this JsonElement json, string property) => json.GetProperty(property).GetString();
}
