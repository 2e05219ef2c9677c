// What the library takes in memory, and how it scales.
using CoAP.NET.Footprint;

// Numbers are written and read alike on every machine.
CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;

// The empty host must not load the library, so nothing here names what does.
return args is [Host.Verb, ..] ? await Host.RunAsync(args) : await FootprintProgram.RunAsync(args);
