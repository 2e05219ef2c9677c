namespace CoAP.NET.Cluster.Tests;

/// <summary>Checks how requests to devices fail.</summary>
internal static class DeviceAssert
{
    /// <summary>Checks that a request fails with a fault, and returns the exception.</summary>
    public static async Task<CoapDeviceException> FailsAsync(CoapDeviceFault fault, Func<Task> request)
    {
        try
        {
            await request().ConfigureAwait(false);
        }
        catch (CoapDeviceException exception) when (exception.Fault == fault)
        {
            return exception;
        }

        throw new InvalidOperationException($"The request did not fail with the fault {fault}.");
    }
}
