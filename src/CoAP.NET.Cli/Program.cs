using System.Runtime.InteropServices;
using CoAP.NET.Cli;

using CancellationTokenSource stop = new();
StopSignals signals = new(stop, TimeProvider.System);
void OnSignal(PosixSignalContext signal) => signal.Cancel = signals.TryTake();

using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);

return await CoapTool.RunAsync(args, CliContext.ForConsole(stop.Token));
