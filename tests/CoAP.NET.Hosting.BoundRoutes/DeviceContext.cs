using System.Text.Json;
using System.Text.Json.Serialization;

namespace CoAP.NET.Hosting.BoundRoutes;

[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(Device))]
[JsonSerializable(typeof(List<Device>))]
[JsonSerializable(typeof(double))]
[JsonSerializable(typeof(int?))]
[JsonSerializable(typeof(object))]
[JsonSerializable(typeof(Fahrenheit?))]
public sealed partial class DeviceContext : JsonSerializerContext;
