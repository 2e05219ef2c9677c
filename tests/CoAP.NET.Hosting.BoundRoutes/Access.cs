namespace CoAP.NET.Hosting.BoundRoutes;

[Flags]
public enum Access
{
    None = 0,
    Read = 1,
    Write = 2,
}
