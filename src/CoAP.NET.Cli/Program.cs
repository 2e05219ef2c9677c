using System.CommandLine;

RootCommand root = new("CoAP from the command line.");
return await root.Parse(args).InvokeAsync();
