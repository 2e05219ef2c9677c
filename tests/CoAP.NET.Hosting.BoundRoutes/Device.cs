namespace CoAP.NET.Hosting.BoundRoutes;

public sealed record Device(string Id, double Setpoint, string[]? Tags = null);
