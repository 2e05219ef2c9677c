// What the library takes in memory, and how it scales.
using CoAP.NET.Footprint;
using CoAP.NET.Footprint.Processes;

// The empty host must not load the library, so nothing here names what does.
return args is [Host.Verb, ..] ? await Host.RunAsync(args) : await FootprintProgram.RunAsync(args);
