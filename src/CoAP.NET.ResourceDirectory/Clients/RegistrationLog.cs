using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory.Clients;

// Ids 2630 to 2649.
/// <summary>Log messages of the registrations of a client.</summary>
internal static partial class RegistrationLog
{
    [LoggerMessage(2630, LogLevel.Information,
        "{Endpoint} is registered with {Directory} as {Location} for {Lifetime}; it is refreshed in {Wait}.")]
    public static partial void Registered(
        ILogger logger, string endpoint, string directory, string location, TimeSpan lifetime, TimeSpan wait);

    [LoggerMessage(2631, LogLevel.Debug,
        "The registration of {Endpoint} with {Directory} was refreshed; the next refresh comes in {Wait}.")]
    public static partial void RegistrationRefreshed(ILogger logger, string endpoint, string directory, TimeSpan wait);

    [LoggerMessage(2632, LogLevel.Warning,
        "{Endpoint} could not be registered with {Directory}, or refreshed there ({Failures} in a row). {Error} The next attempt "
            + "follows in {Wait}.")]
    public static partial void RegistrationFailed(
        ILogger logger, string endpoint, string directory, int failures, string error, TimeSpan wait);

    [LoggerMessage(2633, LogLevel.Information,
        "{Directory} no longer knows the registration of {Endpoint}, for example after a restart, lists something else at its location, or "
            + "refuses its refresh. The endpoint registers again.")]
    public static partial void RegistrationForgotten(ILogger logger, string endpoint, string directory);

    [LoggerMessage(2634, LogLevel.Warning,
        "The registration of {Endpoint} with {Directory} has ended, because it could not be refreshed in time: clients cannot find it "
            + "there until a try succeeds.")]
    public static partial void RegistrationLapsed(ILogger logger, string endpoint, string directory);

    [LoggerMessage(2635, LogLevel.Information, "{Endpoint} was removed from {Directory}.")]
    public static partial void RegistrationRemoved(ILogger logger, string endpoint, string directory);

    [LoggerMessage(2636, LogLevel.Warning,
        "{Endpoint} could not be removed from {Directory}, which lists it for {Left} more. {Error}")]
    public static partial void RegistrationNotRemoved(ILogger logger, string endpoint, string directory, TimeSpan left, string error);

    [LoggerMessage(2637, LogLevel.Information, "{Endpoint} found a resource directory at {Uri}: {Directory}.")]
    public static partial void DirectoryFound(ILogger logger, string endpoint, string uri, string directory);

    [LoggerMessage(2638, LogLevel.Error, "A handler of the status of a registration failed. The registration continues.")]
    public static partial void RegistrationHandlerFailed(ILogger logger, Exception exception);

    [LoggerMessage(2639, LogLevel.Warning,
        "{Endpoint} is no longer kept registered with {Directory}, because the sending endpoint was stopped first. Stop the registration "
            + "before the endpoint, so that the directory is informed.")]
    public static partial void RegistrationEndpointStopped(ILogger logger, string endpoint, string directory);

    [LoggerMessage(2640, LogLevel.Information,
        "{Directory} no longer lists {Endpoint} at its location, so nothing is removed there: another endpoint may use it by now.")]
    public static partial void RegistrationNotListed(ILogger logger, string endpoint, string directory);
}
