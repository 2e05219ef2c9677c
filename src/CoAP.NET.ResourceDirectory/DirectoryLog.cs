using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory;

/// <summary>The log of a directory: clients and codes. Names appear only if they were registered.</summary>
internal static partial class DirectoryLog
{
    [LoggerMessage(2600, LogLevel.Debug, "{Client} was refused with {Code}: {Text}")]
    public static partial void Refused(ILogger logger, string client, CoapCode code, string text);

    [LoggerMessage(2601, LogLevel.Warning, "The directory is full: {Count} registrations of {Bytes} bytes. New ones get 5.03 "
        + "unless their source has fewer than others. Raise MaxRegistrations or MaxBytes, or find the source that registers so many. "
        + "Logged at most once per minute")]
    public static partial void Full(ILogger logger, int count, long bytes);

    [LoggerMessage(2602, LogLevel.Information, "Clients without authentication may register ({Policy}), and the directory cannot "
        + "distinguish clients at the same address. Set Unsecured to Refused if all clients have credentials")]
    public static partial void Unsecured(ILogger logger, CoapUnsecuredRegistrations policy);

    [LoggerMessage(2603, LogLevel.Warning, "The registration could not be stored; {Client} got 5.03 and may retry in {RetryAfter}")]
    public static partial void Unavailable(ILogger logger, Exception exception, string client, TimeSpan retryAfter);

    [LoggerMessage(2604, LogLevel.Warning, "The directory is full: a registration of the source with the most, {Count} registrations of "
        + "{Bytes} bytes, was evicted for one of a source with fewer; {Total} have been evicted since the start. Logged at most once per "
        + "minute")]
    public static partial void Evicted(ILogger logger, int count, long bytes, long total);

    [LoggerMessage(2605, LogLevel.Warning, "The registrations of the cluster were not loaded within {Waited}; the server "
        + "starts without them. Lookups get 5.03 until they are loaded. Check the health of the cluster: its store may be unavailable")]
    public static partial void NotLoaded(ILogger logger, TimeSpan waited);

    [LoggerMessage(2606, LogLevel.Information, "{Count} registrations were loaded in {Time}")]
    public static partial void Loaded(ILogger logger, int count, TimeSpan time);
}
