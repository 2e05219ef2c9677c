using Microsoft.Extensions.Logging;

namespace CoAP.NET.Caching;

/// <summary>The log messages of the cache.</summary>
internal static partial class CacheLog
{
    [LoggerMessage(1750, LogLevel.Debug, "{Remote} answered 2.03 Valid without an entity-tag of the request. The request is sent again "
        + "without entity-tags.")]
    public static partial void UnknownTagValidated(ILogger logger, CoapAddress remote);
}
