using System.Collections.Concurrent;

namespace CoAP.NET.Hosting.BoundRoutes;

public sealed class DeviceStore : IDeviceStore
{
    private readonly ConcurrentDictionary<string, Device> _devices = new(StringComparer.Ordinal);

    public string Name { get; init; } = "main";

    public async Task<Device?> FindAsync(string id, CancellationToken cancellationToken)
    {
        await Task.Yield();
        return _devices.GetValueOrDefault(id);
    }

    public List<Device> List(int limit) => [.. _devices.Values.OrderBy(device => device.Id, StringComparer.Ordinal).Take(limit)];

    public void Save(Device device) => _devices[device.Id] = device;

    public bool Remove(string id) => _devices.TryRemove(id, out _);
}
