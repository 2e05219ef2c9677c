using System.Runtime.InteropServices;
using CoAP.NET.Cli;

using CancellationTokenSource stop = new();

// The first signal asks for an orderly end; the second one is left to the operating system, for those who cannot wait.
void OnSignal(PosixSignalContext signal)
{
    if (!stop.IsCancellationRequested)
    {
        signal.Cancel = true;
        stop.Cancel();
    }
}

using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);

return await CoapTool.RunAsync(args, CliContext.ForConsole(stop.Token));
