namespace CoAP.NET.AspNetCore;

/// <summary>Recognizes server-sent events, whose responses do not end.</summary>
internal static class EventStreamMediaType
{
    /// <summary>The media type of server-sent events.</summary>
    public const string MediaType = "text/event-stream";

    public static bool Is(string? contentType) => contentType?.StartsWith(MediaType, StringComparison.OrdinalIgnoreCase) == true
        && (contentType.Length == MediaType.Length || contentType[MediaType.Length] is ';' or ' ');
}
