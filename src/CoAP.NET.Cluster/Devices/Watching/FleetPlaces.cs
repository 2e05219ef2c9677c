namespace CoAP.NET.Cluster;

/// <summary>
/// Converts reports of nodes to events of devices: a device that moves between nodes stays the same device. The caller locks.
/// </summary>
/// <param name="awayTime">The time for which a device may be absent before it counts as gone.</param>
/// <param name="time">The clock.</param>
internal sealed class FleetPlaces(TimeSpan awayTime, TimeProvider time)
{
    private readonly Dictionary<string, FleetPlace> _all = new(StringComparer.Ordinal);
    private readonly HashSet<string> _away = new(StringComparer.Ordinal);

    /// <summary>The number of devices.</summary>
    public int Count => _all.Count;

    /// <summary>Whether devices are absent, so that <see cref="Expire"/> must be called.</summary>
    public bool HasAway => _away.Count > 0;

    /// <summary>Applies a report of a node.</summary>
    /// <param name="node">The node.</param>
    /// <param name="item">The report.</param>
    /// <param name="mustBeRead">Whether the node must read the state of the device unless it gets a notification.</param>
    /// <returns>The event; null for none.</returns>
    public CoapDeviceNotification? Apply(CoapNodeId node, in WatchItem item, out bool mustBeRead)
    {
        mustBeRead = false;
        _all.TryGetValue(item.Device, out FleetPlace? place);
        switch (item.Kind)
        {
            case CoapDeviceNotificationKind.Came when place is null:
                // No process there knows it if the observation belongs to an earlier process.
                mustBeRead = true;
                _all.Add(item.Device, place = new FleetPlace());
                place.Add(node);
                return new CoapDeviceNotification(item.Device, CoapDeviceNotificationKind.Came);
            case CoapDeviceNotificationKind.Came:
                mustBeRead = place!.IsInDoubt;
                place.Add(node);
                place.IsInDoubt = false;
                _away.Remove(item.Device);
                return null;
            case CoapDeviceNotificationKind.Notified when item.Response is not null && IsNews(place, node):
            case CoapDeviceNotificationKind.Refused when IsNews(place, node):
                place!.HasNews |= place.Node == node;
                return new CoapDeviceNotification(item.Device, item.Kind, item.Response, item.Refusal);
            case CoapDeviceNotificationKind.Went when place is not null && place.Has(node):
                place.Remove(node);
                if (place.Node.IsSet)
                {
                    return null;
                }

                if (item.HasMoved)
                {
                    SetAway(item.Device, place, isInDoubt: false);
                    return null;
                }

                _all.Remove(item.Device);
                return new CoapDeviceNotification(item.Device, CoapDeviceNotificationKind.Went);
            default:
                return null;
        }
    }

    /// <summary>Handles the loss of a node.</summary>
    /// <param name="node">The node.</param>
    /// <returns>The devices that are already at other nodes, which must read their states because newer ones may be lost.</returns>
    public List<(CoapNodeId Node, string Device)> Lose(CoapNodeId node)
    {
        List<(CoapNodeId, string)> inDoubt = [];
        foreach ((string device, FleetPlace place) in _all)
        {
            if (!place.Has(node))
            {
                continue;
            }

            place.Remove(node);
            if (!place.Node.IsSet)
            {
                SetAway(device, place, isInDoubt: true);
            }
            else if (!place.HasNews)
            {
                inDoubt.Add((place.Node, device));
            }
        }

        return inDoubt;
    }

    /// <summary>Removes devices that were absent for too long.</summary>
    /// <returns>Their events.</returns>
    public List<CoapDeviceNotification> Expire()
    {
        List<string> gone = [.. _away.Where(device => time.GetElapsedTime(_all[device].AwaySince) >= awayTime)];
        foreach (string device in gone)
        {
            _away.Remove(device);
            _all.Remove(device);
        }

        return gone.ConvertAll(static device => new CoapDeviceNotification(device, CoapDeviceNotificationKind.Went));
    }

    // Late news of the previous node may arrive after the next node has reported the device, and after the previous one has reported its
    // loss.
    private static bool IsNews(FleetPlace? place, CoapNodeId node) => place is not null && (place.Has(node)
        ? place.Node == node || !place.HasNews
        : place.Before == node && !(place.Node.IsSet && place.HasNews));

    private void SetAway(string device, FleetPlace place, bool isInDoubt)
    {
        (place.AwaySince, place.IsInDoubt) = (time.GetTimestamp(), isInDoubt);
        _away.Add(device);
    }
}
