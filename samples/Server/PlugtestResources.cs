using CoAP.NET;

namespace Server;

/// <summary>The resources of the ETSI CoAP plugtest list (TD CoAP#4), one family in each file.</summary>
public static partial class PlugtestResources
{
    /// <summary>Adds all resources to a server.</summary>
    /// <param name="server">The server.</param>
    /// <param name="time">The clock of slow and changing resources; null for the system's.</param>
    public static void MapTo(CoapServer server, TimeProvider? time = null)
    {
        time ??= TimeProvider.System;
        MapTest(server);
        MapRequests(server, time);
        MapValidation(server);
        MapLinks(server);
        MapLarge(server);
        MapObservable(server, time);
        MapDocument(server);
    }
}
