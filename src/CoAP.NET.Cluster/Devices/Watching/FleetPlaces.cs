namespace CoAP.NET.Cluster;

/// <summary>
/// Makes of what nodes say of their devices what happens at devices: one that moves from node to node is the same device all the time. Its
/// caller locks.
/// </summary>
/// <param name="awayTime">For how long a device may be at no node before it went.</param>
/// <param name="time">The clock.</param>
internal sealed class FleetPlaces(TimeSpan awayTime, TimeProvider time)
{
    private readonly Dictionary<string, FleetPlace> _all = new(StringComparer.Ordinal);
    private readonly HashSet<string> _away = new(StringComparer.Ordinal);

    /// <summary>How many devices there are.</summary>
    public int Count => _all.Count;

    /// <summary>Whether devices are away, so that <see cref="Expire"/> has to be called.</summary>
    public bool HasAway => _away.Count > 0;

    /// <summary>A node says something.</summary>
    /// <param name="node">The node.</param>
    /// <param name="item">What.</param>
    /// <param name="mustBeRead">Whether the node is to read the state of the device, unless it hears of it by itself.</param>
    /// <returns>What it means; null for nothing.</returns>
    public CoapDeviceNotification? Apply(CoapNodeId node, in WatchItem item, out bool mustBeRead)
    {
        mustBeRead = false;
        _all.TryGetValue(item.Device, out FleetPlace? place);
        switch (item.Kind)
        {
            case CoapDeviceNotificationKind.Came when place is null:
                // Nobody there knows it where the observation is that of a process before.
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

    /// <summary>A node is not there any more.</summary>
    /// <param name="node">The node.</param>
    /// <returns>The devices that are at other nodes already, which are to read their states, as newer ones may be lost.</returns>
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

    /// <summary>Takes out the devices that are away for too long.</summary>
    /// <returns>That they went.</returns>
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

    // What the node before heard last may come after the next node has said that the device is there, and after it has said itself that
    // the device is there no more.
    private static bool IsNews(FleetPlace? place, CoapNodeId node) => place is not null && (place.Has(node)
        ? place.Node == node || !place.HasNews
        : place.Before == node && !(place.Node.IsSet && place.HasNews));

    private void SetAway(string device, FleetPlace place, bool isInDoubt)
    {
        (place.AwaySince, place.IsInDoubt) = (time.GetTimestamp(), isInDoubt);
        _away.Add(device);
    }
}
