namespace CoAP.NET.Hosting.BoundRoutes;

public interface IDeviceStore
{
    string Name { get; }

    Task<Device?> FindAsync(string id, CancellationToken cancellationToken);

    List<Device> List(int limit);

    void Save(Device device);

    bool Remove(string id);
}
