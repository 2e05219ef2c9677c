using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory;

/// <summary>The log of a directory: clients and codes, and names only where they were registered.</summary>
internal static partial class DirectoryLog
{
    [LoggerMessage(2600, LogLevel.Debug, "{Client} was refused with {Code}: {Text}")]
    public static partial void Refused(ILogger logger, string client, CoapCode code, string text);

    [LoggerMessage(2601, LogLevel.Warning, "The directory is full: {Count} registrations of {Bytes} bytes. New ones of "
        + "sources that have no less than others get 5.03. Raise MaxRegistrations or MaxBytes, or find out who registers so much. This is "
        + "told once a minute")]
    public static partial void Full(ILogger logger, int count, long bytes);

    [LoggerMessage(2602, LogLevel.Information, "Clients that have not shown who they are may register ({Policy}), and nothing tells them "
        + "from others at their address. Set Unsecured to Refused where all have credentials")]
    public static partial void Unsecured(ILogger logger, CoapUnsecuredRegistrations policy);

    [LoggerMessage(2603, LogLevel.Warning, "The registration could not be kept, so {Client} got 5.03 and is to try again in {RetryAfter}")]
    public static partial void Unavailable(ILogger logger, Exception exception, string client, TimeSpan retryAfter);

    [LoggerMessage(2604, LogLevel.Warning, "The directory is full, so a registration of the source that has most, {Count} registrations of "
        + "{Bytes} bytes, gave way to one of a source that has less; {Total} have done so since the start. This is told once a minute")]
    public static partial void GaveWay(ILogger logger, int count, long bytes, long total);

    [LoggerMessage(2605, LogLevel.Warning, "The registrations that the cluster keeps could not be loaded within {Waited}, so the server "
        + "starts without them. Look-ups get 5.03 until they are loaded. The health of the cluster says whether its store is away")]
    public static partial void NotLoaded(ILogger logger, TimeSpan waited);

    [LoggerMessage(2606, LogLevel.Information, "{Count} registrations were loaded in {Time}")]
    public static partial void Loaded(ILogger logger, int count, TimeSpan time);
}
